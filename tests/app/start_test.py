#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--start: auto and anneal go on from a plan. Usage: start_test.py BERTH."""
import json
import pathlib

from command_line import SMALL, CommandLineTest, main

K40 = ["-m", "k40x2"]


class Start(CommandLineTest):
    def found(self, *flags, planner="auto"):
        path = self.folder / "found.json"
        return self.json_of("place", SMALL, *K40, "-p", planner, *flags, "-o", path), json.loads(path.read_text())

    def good_plan(self):
        path = self.folder / "good.json"
        return self.json_of("place", SMALL, *K40, "--evaluations", 1500, "--seed", 7, "-o", path)["step_time_s"], path

    def test_what_is_found_is_no_worse(self):
        good, path = self.good_plan()
        for planner in ("auto", "anneal"):
            cold = self.found("--evaluations", 20, planner=planner)[0]["step_time_s"]
            self.assertGreater(cold, good, "else this test shows nothing")
            self.assertLessEqual(self.found("--evaluations", 20, "--start", path, planner=planner)[0]["step_time_s"], good)

    def test_it_is_named_and_the_result_depends_on_the_seed_alone(self):
        _, path = self.good_plan()
        notes = {planner: self.found("--evaluations", 20, "--start", path, planner=planner)[0]["note"] for planner in ("auto", "anneal")}
        self.assertIn("the given plan", notes["auto"])
        self.assertEqual(notes["anneal"], "annealed from the given plan")
        once, again = (self.found("--evaluations", 60, "--start", path)[1] for _ in range(2))
        self.assertEqual(once, again)

    def test_a_bad_plan_does_no_harm(self):
        path = self.folder / "bad.json"
        self.json_of("place", SMALL, *K40, "-p", "round-robin", "-o", path)
        for planner in ("auto", "anneal"):
            found = self.found("--evaluations", 60, "--start", path, planner=planner)[0]
            self.assertLessEqual(found["step_time_s"], self.found(planner="expert")[0]["step_time_s"])
        self.assertRegex(self.found("--evaluations", 4, "--start", path, planner="anneal")[0]["note"], "one device|layer rule")

    def test_what_it_fuses_is_taken_apart(self):
        path = self.folder / "fused.json"
        fused = self.json_of("place", SMALL, *K40, "-p", "gpu-only", "--fusion", "greedy", "-o", path)
        self.assertGreater(fused["fused_ops"], 0)
        self.assertEqual(self.found("--evaluations", 1, "--start", path)[0]["fused_ops"], 0)

    def test_pipelines_go_on_too(self):
        path = self.folder / "pipe.json"
        flags = ["--objective", "pipeline", "--evaluations"]
        good = self.json_of("place", SMALL, *K40, *flags, 5000, "-o", path)["objective_value_s"]
        found = self.found(*flags, 4, "--start", path)[0]
        self.assertLessEqual(found["objective_value_s"], good)
        self.assertIn("the given plan", found["note"])

    def test_a_machine_without_its_devices_is_planned_afresh(self):
        path = self.folder / "three.json"
        add = ["--add-device", "k40"]
        self.json_of("place", SMALL, *K40, *add, "-p", "round-robin", "-o", path)
        self.assertIn("gpu2", path.read_text())
        found = self.found(*add, "--start", path)[0]
        self.assertGreater(found["as_it_is"]["step_time_s"], 0)

    def test_bad_starts_are_one_line(self):
        place = ["place", SMALL, *K40]
        self.assert_refused([*place, "--start", "none.json"], "none.json")
        self.assert_refused([*place, "--start", self.write("no.json", "{")], "no.json")
        _, path = self.good_plan()
        self.assert_refused([*place, "-p", "heft", "--start", path], "--start", "auto and anneal", "'heft'")
        self.assert_refused([*place, "--placement", path, "--fusion", "best", "--start", path], "--start")
        self.assert_refused(["place", "zoo:rnnlm", *K40, "--start", path], "good.json")
        self.assert_refused([*place, "--start", path, "--forbid", "type:matmul=gpu0", "--forbid", "type:matmul=gpu1"], "good.json")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--fusion, --schedule and --placement. Usage: stages_test.py BERTH."""
import json
import pathlib

from command_line import SMALL, CommandLineTest, main

K40 = ["-m", "k40x2"]


class Stages(CommandLineTest):
    def placed(self, *flags, planner="gpu-only"):
        return self.json_of("place", SMALL, *K40, "-p", planner, *flags)

    def plan_of(self, *flags, planner="expert-layers"):
        path = self.folder / "made.json"
        self.placed("-o", str(path), *flags, planner=planner)
        return json.loads(path.read_text())

    def refused(self, flags, *parts):
        self.assert_refused(["place", SMALL, *K40, *flags], *parts)

    def test_a_framework_default_can_be_told(self):
        bare, fused = self.placed(), self.placed("--schedule", "fifo", "--fusion", "greedy")
        self.assertEqual([fused[key] for key in ("planner", "fusion", "schedule")], ["gpu-only", "greedy", "fifo"])
        self.assertEqual((bare["fused_groups"], bare["fused_ops"]), (0, 0))
        self.assertNotIn("fusion", bare)
        self.assertGreater(fused["fused_ops"], 2 * fused["fused_groups"] - 1)
        self.assertGreater(fused["fused_groups"], 0)
        self.assertLess(fused["step_time_s"], bare["step_time_s"])
        self.assertLess(fused["lower_bound_s"], bare["lower_bound_s"], "bytes are no part of the bound for fused plans")

    def test_the_best_fusion_is_no_worse_than_any(self):
        best = self.placed("--fusion", "best")["step_time_s"]
        for method in ("keep", "none", "greedy", "xla"):
            self.assertLessEqual(best, self.placed("--fusion", method)["step_time_s"], method)

    def test_auto_with_fusion_is_no_worse_than_without(self):
        auto = self.json_of("place", SMALL, *K40, "--evaluations", "300")
        fused = self.json_of("place", SMALL, *K40, "--evaluations", "600", "--fusion", "best")
        self.assertLessEqual(fused["step_time_s"], auto["step_time_s"])
        self.assertEqual(fused["planner"], "auto")

    def test_devices_of_a_placement_stay(self):
        path = str(self.folder / "plan.json")
        before = self.json_of("place", SMALL, *K40, "-p", "expert-layers", "-o", path)
        given = json.loads(pathlib.Path(path).read_text())
        for flags in (["--schedule", "search"], ["--fusion", "best"], ["--fusion", "best", "--schedule", "search"]):
            out = str(self.folder / "out.json")
            after = self.json_of("place", SMALL, *K40, "--placement", path, *flags, "-o", out)
            self.assertEqual(after["planner"], "file")
            self.assertLessEqual(after["step_time_s"], before["step_time_s"])
            made = json.loads(pathlib.Path(out).read_text())
            self.assertEqual([op["device"] for op in made["ops"]], [op["device"] for op in given["ops"]])
            scored = self.json_of("score", SMALL, *K40, "--plan", out)
            self.assertEqual(scored["step_time_s"], after["step_time_s"])
            self.assertEqual(scored["fused_groups"], after["fused_groups"])
            self.assertEqual(bool(made["fusions"]), "--fusion" in flags)

    def test_orders(self):
        self.assertEqual({op["priority"] for op in self.plan_of("--schedule", "fifo")["ops"]}, {0})
        self.assertGreater(len({op["priority"] for op in self.plan_of("--schedule", "critical-path")["ops"]}), 10)
        self.assertNotEqual(self.plan_of("--schedule", "random"), self.plan_of("--schedule", "random", "--seed", "2"))
        self.assertEqual(self.plan_of("--schedule", "random"), self.plan_of("--schedule", "random"))

    def test_the_page_says_who_fused_and_ordered(self):
        text = self.text_of("place", SMALL, *K40, "-p", "single", "--fusion", "greedy", "--schedule", "fifo")
        self.assertRegex(text, r"fused +greedy: [0-9]+ groups of [0-9,]+ ops")
        self.assertRegex(text, r"order +fifo")
        self.assertRegex(text, r"as fast as the best single device", "the yardstick fuses nothing")

    def test_bad_flags_are_one_line(self):
        self.refused(["--fusion", "xl"], "--fusion: no method named 'xl'", "did you mean 'xla'")
        self.refused(["--schedule", "lifo"], "--schedule: no method named 'lifo'", "'fifo'")
        self.refused(["--placement", "plan.json"], "nothing to decide", "--fusion or --schedule")
        self.refused(["--placement", "none.json", "--fusion", "best"], "none.json")
        self.refused(["--placement", "a", "-p", "auto", "--fusion", "best"], "--placement")
        self.refused(["--objective", "pipeline", "--fusion", "best"], "'pipeline'", "--fusion")
        other = self.write("other.json", json.dumps(self.plan_of()).replace('"graph":', '"graph_":'))
        self.refused(["--placement", other, "--fusion", "best"], "other.json")


if __name__ == "__main__":
    main()

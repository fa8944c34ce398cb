#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What if the machine were different: --set, --add-device and sweep. Usage: what_if_test.py BERTH."""
import json
import pathlib
import xml.etree.ElementTree as ElementTree

from command_line import SMALL, CommandLineTest, berth, main

ON = [SMALL, "-m", "k40x2"]


class WhatIf(CommandLineTest):
    def plan(self, planner="round-robin"):
        path = str(self.folder / "plan.json")
        self.text_of("place", *ON, "-p", planner, "-o", path)
        return path

    def test_score_shows_the_change(self):
        plan = self.plan()
        plain = self.json_of("score", *ON, "--plan", plan)
        links = ["--set", "link.*.bandwidth=10x", "--set", "link.*.latency=0.1x"]
        faster = self.json_of("score", *ON, "--plan", plan, *links)
        self.assertLess(faster["step_time_s"], plain["step_time_s"])
        self.assertEqual(faster["as_it_is"]["machine"], "k40x2")
        self.assertEqual(faster["as_it_is"]["step_time_s"], plain["step_time_s"])
        self.assertAlmostEqual(faster["as_it_is"]["change"], faster["step_time_s"] / plain["step_time_s"] - 1)
        self.assertNotIn("as_it_is", plain)
        page = self.text_of("score", *ON, "--plan", plan, "--set", "gpu.flops=2x", "--set", "gpu.bandwidth=2x")
        self.assertRegex(page, "what if: .* on k40x2 as it is, .* less")

    def test_memory_decides_whether_it_fits(self):
        plan = self.plan("gpu-only")
        done = berth("score", *ON, "--plan", plan, "--set", "gpu:0.memory=1KiB")
        self.assertEqual(done.returncode, 1)
        self.assertIn("it no longer fits", done.stdout)

    def test_place_and_compare_show_the_change(self):
        placed = self.json_of("place", *ON, "-p", "heft", "--add-device", "k40*2")
        self.assertEqual(len(placed["devices"]), 5)
        self.assertEqual(placed["as_it_is"]["step_time_s"], self.json_of("place", *ON, "-p", "heft")["step_time_s"])
        page = self.text_of("compare", *ON, "--planners", "heft,expert", "--set", "gpu.bandwidth=2x")
        self.assertIn("k40x2 as it is", page)
        self.assertEqual(sum(line.startswith(("heft", "expert")) for line in page.splitlines()), 4)

    def test_mistakes(self):
        self.assert_refused(["place", *ON, "--set", "gpu9.memory=1GiB"], "no device 'gpu9'")
        self.assert_refused(["place", *ON, "--set", "memory"], "WHAT.FIELD=VALUE")
        self.assert_refused(["place", *ON, "--set", "gpu0.memory=much"], "gpu0.memory=much")
        self.assert_refused(["place", *ON, "--add-device", "k400"], "k400", "k40")


class Sweep(CommandLineTest):
    def sweep(self, over, *more):
        return self.json_of("sweep", *ON, "--over", over, "-p", "heft", "--evaluations", "10", *more)

    def test_devices(self):
        document = self.sweep("devices=1,2")
        self.assertEqual([row["value"] for row in document["rows"]], ["1", "2"])
        self.assertEqual([len(row["devices"]) for row in document["rows"]], [2, 3])
        alone = self.json_of("place", *ON, "-p", "heft")
        self.assertEqual(document["rows"][1]["step_time_s"], alone["step_time_s"])
        self.assertIn("devices", document["verdict"])

    def test_batch_sizes_are_judged_by_samples(self):
        rows = self.sweep("batch=2,8")["rows"]
        for row in rows:
            self.assertAlmostEqual(row["per_second"], int(row["value"]) / row["step_time_s"])
        self.assertLess(rows[0]["step_time_s"], rows[1]["step_time_s"])

    def test_figures_of_the_machine(self):
        rows = self.sweep("gpu.flops=1x,4x")["rows"]
        self.assertLessEqual(rows[1]["lower_bound_s"], rows[0]["lower_bound_s"])
        page = self.text_of("sweep", *ON, "--over", "link.*.bandwidth=1x,2x", "-p", "heft", "--evaluations", "10")
        for words in ("step time", "steps/s", "##", "link.*.bandwidth"):
            self.assertIn(words, page)

    def test_a_plot_is_a_picture_with_every_value(self):
        path = self.folder / "plot.svg"
        rows = self.sweep("batch=2,8,32", "--plot", path)["rows"]
        picture = ElementTree.parse(path).getroot()
        svg = "{http://www.w3.org/2000/svg}"
        self.assertEqual(picture.tag, svg + "svg")
        words = [text.text for text in picture.iter(svg + "text")]
        for row in rows:
            self.assertIn(row["value"], words)
        dots = [dot for dot in picture.iter(svg + "circle")][1:]  # the first explains the line
        self.assertEqual(len(dots), 3)
        heights = [float(dot.get("cy")) for dot in dots]
        rates = [row["per_second"] for row in rows]
        self.assertAlmostEqual((heights[0] - heights[1]) / (heights[1] - heights[2]),
                               (rates[1] - rates[0]) / (rates[2] - rates[1]), 1)
        page = self.text_of("sweep", *ON, "--over", "devices=1,2", "-p", "heft", "--evaluations", "10", "--plot", path)
        self.assertIn(f"plot written to {path}", page)

    def test_what_does_not_fit_is_said_in_the_plot(self):
        path = self.folder / "plot.svg"
        args = ["sweep", *ON, "--over", "gpu.memory=1KiB,12GiB", "-p", "gpu-only", "--evaluations", "10", "--plot", path]
        self.text_of(*args)
        self.assertIn(">OOM</text>", path.read_text())

    def test_a_plot_that_cannot_be_written_is_refused_first(self):
        self.assert_refused(["sweep", *ON, "--over", "devices=1", "--plot", self.folder / "no" / "x.svg"], "there is no folder")
        old = self.write("old.svg", "precious")
        self.assert_refused(["sweep", *ON, "--over", "devices=9", "--plot", old], "has 2 accelerators, not 9")
        self.assertEqual(pathlib.Path(old).read_text(), "precious")

    def test_an_interrupted_sweep_says_so_and_concludes_nothing(self):
        path = self.folder / "plot.svg"
        command = ["sweep", "zoo:nmt-8,unroll=150", "-m", "k40x8", "--over", "devices=1,2,4", "--budget", "60min", "--plot", str(path)]
        page = self.interrupted(*command)
        end = "interrupted: devices = 1 cut short; devices = 2, 4 not run; where more stops paying is not known"
        self.assertIn(end, page)
        self.assertEqual(page.count("not run"), 3, page)  # two rows and the last line
        self.assertNotIn("best", page)
        words = [text.text for text in ElementTree.parse(path).getroot().iter("{http://www.w3.org/2000/svg}text")]
        self.assertIn(end, words)
        self.assertEqual((words.count("cut short"), words.count("not run")), (1, 2))
        self.assertNotIn('class="enough"', path.read_text())
        document = json.loads(self.interrupted(*command, "--json"))
        self.assertTrue(document["interrupted"])
        self.assertIsNone(document["verdict"])
        self.assertEqual((document["cut_short"], document["not_run"]), (["1"], ["2", "4"]))
        self.assertEqual([row["interrupted"] for row in document["rows"]], [True])
        whole = self.sweep("devices=1,2")
        self.assertEqual((whole["interrupted"], whole["cut_short"], whole["not_run"]), (False, [], []))

    def test_mistakes(self):
        self.assert_refused(["sweep", *ON, "--over", "devices"], "NAME=A,B,C")
        self.assert_refused(["sweep", *ON, "--over", "devices=0"], "'0' is not a whole number above 0")
        self.assert_refused(["sweep", *ON, "--over", "devices=1,,2"], "empty")
        self.assert_refused(["sweep", *ON, "--over", "devices=9"], "has 2 accelerators, not 9")
        self.assert_refused(["sweep", *ON, "--over", "colour=1"], "colour")
        for name, meant in [("bandwith", "link.*.bandwidth"), ("bandwidth", "link.*.bandwidth"), ("latnecy", "link.*.latency"),
                            ("memory", "gpu.memory"), ("device", "devices")]:
            with self.subTest(name):
                self.assert_refused(["sweep", *ON, "--over", f"{name}=1"], f"'{name}'", f"of the machine, there is --over {meant}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The benchmark of planners (bench/planners) on one tiny row, and the arithmetic of its tables. Usage: bench_planners_test.py BERTH."""
import csv
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))

from lib.results import Cell  # noqa: E402
from suite import bars, results, rows, sensitivity  # noqa: E402

BERTH = ""
TINY = """
[[rows]]
graph = "zoo:rnnlm,batch=4,unroll=3,hidden=16,vocab=100"
machine = "k40x2"
why = "tiny"
long = true
sensitivity = true
"""
SECTIONS = ("planners", "long", "sensitivity")
PAGE = "before\n" + "".join(f"<!-- {name}:begin -->\nOLD\n<!-- {name}:end -->\n" for name in SECTIONS) + "after\n"


def row(name="toy"):
    return rows.Row(f"zoo:{name}", "k40x2", "a toy")


def result(single, **steps):
    """Seeds' step times by planner; None is out of memory."""
    def answer(step):
        return {"feasible": step is not None, "step_time_s": step, "lower_bound_s": 1.0, "ops": 3,
                "best_single_device": {"feasible": single is not None, "step_time_s": single}}
    return results.RowResult(row(), {name: Cell([answer(step) for step in seeds]) for name, seeds in steps.items()})


class SimplePlannersTest(unittest.TestCase):
    def test_the_page_has_what_the_script_prints(self):
        page = (ROOT / "docs" / "results.md").read_text()
        for table, section in (("here", "simple-planners"), ("beside", "published")):
            done = subprocess.run([ROOT / "bench" / "simple_planners.py", BERTH, table], capture_output=True, text=True, timeout=1800, check=True)
            shown = page.split(f"<!-- {section}:begin -->\n")[1].split(f"<!-- {section}:end -->")[0]
            self.assertEqual(shown, done.stdout)


class ScriptTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "suite.toml").write_text(TINY)
        (self.folder / "page.md").write_text(PAGE)

    def bench(self, *flags, codes=(0,)):
        done = subprocess.run([ROOT / "bench" / "planners", "--berth", BERTH, "--suite", self.folder / "suite.toml", "--page",
                               self.folder / "page.md", "--out", self.folder / "out", "--budget", "100ms", *flags],
                              capture_output=True, text=True, timeout=1800, check=False)
        self.assertIn(done.returncode, codes, done.stderr)
        return done

    def page(self):
        return (self.folder / "page.md").read_text()

    def test_main_table(self):
        done = self.bench("--planners", "single,heft,random,auto", codes=(0, 1))
        page = self.page()
        self.assertEqual(done.returncode, 1 if "FAIL" in page else 0, "a bar that is missed is an exit code too")
        self.assertTrue(page.startswith("before\n") and page.endswith("after\n"))
        for part in ("### By planner", "### By row", "### What was asked of `auto`", "| `heft` |", "<details><summary>rnnlm,batch=4",
                     "8 runs, "):
            self.assertIn(part, page)
        self.assertRegex(page, r"- (PASS|FAIL): `auto` \(median\) is within 0.5 %")
        self.assertEqual(page.count("OLD"), 2)  # the other sections are as they were
        with (self.folder / "out" / "planners.csv").open() as file:
            lines = {line["planner"]: line for line in csv.DictReader(file)}
        self.assertEqual(set(lines), {"single", "heft", "random", "auto"})
        self.assertEqual([lines[name]["seeds"] for name in ("heft", "random")], ["1", "3"])
        self.assertLessEqual(float(lines["auto"]["step_s_max"]), float(lines["single"]["step_s_median"]))

    def test_goes_on_where_it_stopped(self):
        self.bench("--planners", "single,heft")
        stored = next(path for path in (self.folder / "out" / "runs").iterdir() if ": heft, seed 1" in json.loads(path.read_text())["label"])
        content = json.loads(stored.read_text())
        content["answer"]["step_time_s"] = 1e-6  # would be overwritten by a new run
        stored.write_text(json.dumps(content))
        done = self.bench("--planners", "single,heft,m-topo")
        self.assertIn("3 runs, 2 of them on file", done.stderr)
        self.assertIn("1 us", self.page())
        stored.write_text("half")
        self.assertIn("3 runs, 2 of them on file", self.bench("--planners", "single,heft,m-topo").stderr)
        self.assertNotIn("| 1 us |", self.page())

    def test_long_and_sensitivity(self):
        done = self.bench("--long", "--long-budget", "200ms", codes=(0, 1))
        self.assertEqual(done.returncode, 1 if "FAIL" in self.page() else 0)
        self.bench("--sensitivity", "--planners", "single,m-topo,heft")
        self.assertRegex(self.page(), r"(PASS|FAIL): after 100ms `auto`")
        self.assertIn("**bandwidth x 2**", self.page())
        self.assertNotIn("OLD", self.page().replace("<!-- planners:begin -->\nOLD", ""))

    def test_mistakes_are_said_in_one_line(self):
        self.assertIn("no classical planner named 'hefft'", self.bench("--planners", "hefft", codes=(1,)).stderr)
        self.assertIn("no row has 'nmt' in its name", self.bench("--rows", "nmt", codes=(1,)).stderr)
        self.assertIn("--budget: '10' is no time; write for example", self.bench("--budget", "10", codes=(2,)).stderr)


class SuiteTest(unittest.TestCase):
    def test_rows_are_distinct_and_flagged_as_the_texts_say(self):
        every = rows.load_rows(rows.SUITE, [])
        self.assertEqual(len({one.name for one in every}), len(every))
        self.assertEqual(sum(one.long for one in every), 8)
        self.assertEqual(sum(one.ablation for one in every), 7)
        for one in every:
            self.assertFalse(one.sensitivity and one.machine == "h200" and one.graph.startswith("captured:"), one.name)
            self.assertFalse(one.ablation and one.memory != 1, one.name)

    def test_scaled_machine_changes_nothing_else(self):
        text = subprocess.run([BERTH, "machines", "p100x4"], capture_output=True, text=True, check=True).stdout
        before = tomllib.loads(text)
        after = tomllib.loads(rows.scaled_machine(text, rows.Scale(memory=0.5, efficiency=2, bandwidth=0.25)))
        gpu = before["devices"][1]
        self.assertEqual(gpu["memory"], "16 GiB")
        self.assertEqual([device["memory"] for device in after["devices"]],
                         [before["devices"][0]["memory"]] + ["8 GiB"] * (len(before["devices"]) - 1))
        for old, new in zip(before["devices"], after["devices"]):
            self.assertAlmostEqual(number(new["bandwidth"]), 2 * number(old["bandwidth"]))
            self.assertEqual({key: number(value) for key, value in new["flops"].items()},
                             {key: 2 * number(value) for key, value in old["flops"].items()})
            self.assertEqual(new["launch"], old["launch"])
        for old, new in zip(before["links"], after["links"]):
            self.assertAlmostEqual(number(new["bandwidth"]), number(old["bandwidth"]) / 4)
            self.assertEqual({**new, "bandwidth": 0}, {**old, "bandwidth": 0})


def number(text):
    return float(text.split()[0])


class NumbersTest(unittest.TestCase):
    def test_out_of_memory_is_never_a_time(self):
        cells = result(4.0, lucky=[2.0, None, None], steady=[3.0, None, 2.5], none=[None]).cells
        self.assertEqual([cells[name].median for name in ("lucky", "steady", "none")], [math.inf, 3.0, math.inf])
        self.assertEqual((cells["steady"].least, cells["steady"].most), (2.5, math.inf))

    def test_rows_where_one_device_is_best(self):
        cases = {"proved": result(1.0, auto=[1.0]), "found": result(2.0, auto=[2.0]), "nearly": result(2.0, auto=[1.99]),
                 "": result(2.0, auto=[1.9]), "no fit": result(None, auto=[1.9])}
        for kind, case in cases.items():
            self.assertEqual(case.one_device, kind)
            self.assertEqual(case.several_pay, kind in ("", "no fit"))
        self.assertFalse(result(None, auto=[None]).several_pay)
        no_plan = {"feasible": False, "step_time_s": None, "error": "beyond it"}  # then no device was tried alone
        self.assertEqual(results.RowResult(row(), {"auto": Cell([no_plan])}).one_device, "no fit")

    def test_missing_rows_are_counted_not_averaged(self):
        found = [result(8.0, a=[2.0], b=[None]), result(8.0, a=[2.0], b=[1.0]), result(8.0, a=[4.0], b=[2.0])]
        self.assertEqual(results.mean_to_best(found, "b"), (1.0, 1))
        mean, lacks = results.mean_to_best(found, "a")
        self.assertAlmostEqual(mean, 4 ** (1 / 3))
        self.assertEqual(lacks, 0)
        self.assertEqual(results.common_rows(found, ["a", "b"]), found[1:])

    def test_bars_fail_when_they_should(self):
        good = result(4.0, auto=[1.8, 1.8, 1.8], heft=[2.0], anneal=[1.8])
        slow_seed = result(4.0, auto=[1.8, 1.8, 1.85], heft=[2.0], anneal=[1.8])
        self.assertNotIn("FAIL", bars.checks([good]))
        self.assertIn("FAIL: `auto` (worst seed)", bars.checks([good, slow_seed]))
        self.assertIn("PASS: `auto` (median)", bars.checks([good, slow_seed]))
        self.assertIn("FAIL: over 1 rows", bars.checks([result(4.0, auto=[1.9], heft=[2.0])]))
        self.assertIn("FAIL: `auto` has no plan on 1 rows", bars.checks([result(4.0, auto=[None], heft=[2.0])]))

    def test_flips_need_a_clear_difference(self):
        base, swapped, close = result(4.0, a=[2.0], b=[3.0]), result(4.0, a=[3.0], b=[2.0]), result(4.0, a=[2.0], b=[1.99])
        self.assertEqual(len(sensitivity.pair_flips([base], [swapped], ["a", "b"])), 1)
        self.assertEqual(sensitivity.pair_flips([base], [close], ["a", "b"]), [])
        self.assertEqual(sensitivity.winner_flips([base], [swapped], ["a", "b"]), ["toy on k40x2: `a`, now `b`"])
        self.assertEqual(sensitivity.winner_flips([base], [close], ["a", "b"]), [])
        self.assertEqual(len(sensitivity.one_device_flips([base], [result(2.0, a=[2.0])])), 1)

if __name__ == "__main__":
    BERTH = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The programs of bench/papers on one tiny row, and the arithmetic of their tables. Usage: bench_papers_test.py BERTH."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))

from lib import charts, store  # noqa: E402
from lib.berth import Berth  # noqa: E402
from lib.results import OOM  # noqa: E402
from papers.tables import ablations, base, curves, jobs, rows  # noqa: E402

BERTH = ""
GRAPH = "zoo:rnnlm,batch=4,unroll=2,hidden=8,vocab=50"
SMALL = ("--row", f"{GRAPH}@k40x2", "--evaluations", "16", "--seeds", "1", "--random-runs", "1", "--ablation-seeds", "1",
         "--classical-budget", "100ms")


class ScriptTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.page = self.folder / "page.md"
        self.page.write_text((ROOT / "docs" / "results.md").read_text())  # its markers are tested too

    def bench(self, program, *flags):
        done = subprocess.run([ROOT / "bench" / "papers" / program, "--berth", BERTH, "--page", self.page, "--out", self.folder / "out",
                               *SMALL, *flags], capture_output=True, text=True, timeout=1800, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def section(self, name):
        text = self.page.read_text().split(f"<!-- papers-{name}:begin -->")[1].split(f"<!-- papers-{name}:end -->")[0]
        self.assertNotIn("Not run yet", text)
        return text

    def test_hierarchical(self):
        tables = ("hierarchical", "rivals", "curves", "pipeline")
        self.bench("hierarchical", "--tables", *tables)
        main = self.section("hierarchical")
        self.assertIn("rnnlm,batch=4", main)
        self.assertNotIn("failed", main)
        self.assertRegex(main, r"- (PASS|FAIL): `hierarchical` beats Scotch on [01] of 1 rows")
        self.assertIn("| 16 |", self.section("rivals"))
        self.assertIn("`dp`", self.section("pipeline"))
        for name in ("evaluations", "wall") if charts.matplotlib() else ():
            chart = xml.etree.ElementTree.parse(self.folder / "images" / f"curves-{name}.svg")
            self.assertTrue(any("path" in element.tag for element in chart.iter()))
        again = self.bench("hierarchical", "--tables", *tables)
        self.assertIn("0 runs to make", again.stderr)

    def test_hsdag(self):
        self.bench("hsdag", "--row", f"{GRAPH}@flex170-hetero", "--only", "METIS", "--evaluations", "40")
        main = self.section("hsdag")
        self.assertNotIn("failed", main)
        self.assertRegex(main, r"- PASS: `hsdag` is worse than one GPU in 0 of \d+ runs")
        for name in ("hsdag-ablation", "hsdag-default"):
            self.assertIn("METIS", self.section(name))

    def test_colocrl_and_ablations(self):
        self.bench("colocrl", "--tables", "colocrl")
        self.assertIn("k80x4", self.section("colocrl"))
        self.bench("ablations", "--tables", "ablation-grouping", "ablation-options", "ablation-rewards", "--only", "random", "transformer",
                   "noise 20 % inverse")
        self.assertIn("random, stays", self.section("ablation-grouping"))
        self.assertIn("transformer", self.section("ablation-options"))
        self.assertIn("inverse", self.section("ablation-rewards"))
        self.assertNotIn("failed", self.section("ablation-options"))

    def test_go(self):
        tables = ("go-elsewhere", "go-samples", "go-auto")
        self.bench("go", "--row", f"{GRAPH},layers=3@k40x2", "--only", "hierarchical", "go", "--evaluations", "32", "--tables", *tables)
        elsewhere = self.section("go-elsewhere")
        self.assertRegex(elsewhere, r"`hierarchical` .* refused .* refused .* output for each device; go and placeto")
        self.assertRegex(elsewhere, r"- Of use elsewhere without a change: `go`;")
        self.assertRegex(self.section("go-samples"), r"`go` \| \d+ \(")
        self.assertIn("Search time", self.section("go-samples"))
        self.assertRegex(self.section("go-auto"), r"- `auto` is at least as good in \d of 8 comparisons")
        for name in tables:
            self.assertNotIn("failed", self.section(name))

    def test_plan_of_all(self):
        done = subprocess.run([ROOT / "bench" / "papers" / "all", "--plan", "--berth", BERTH, "--out", self.folder / "out"],
                              capture_output=True, text=True, timeout=1800, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("less than 180 min", done.stdout)
        page = self.page.read_text()
        for line in done.stdout.splitlines()[1:-1]:
            self.assertEqual(page.count(f"<!-- papers-{line.split()[0]}:begin -->"), 1, "every table has its section")

    def test_tables_of_the_page_are_what_their_commands_make(self):
        page = (ROOT / "docs" / "results.md").read_text()
        usual = base.Settings()
        budget = {kind: usual.budget(kind).text for kind in ("main", "learned")}
        for words in (f"`hierarchical` has {budget['main']} a run and `colocrl` {budget['learned']}", f"{usual.random_runs} runs of {budget['learned']}",
                      f"`hierarchical` has {budget['learned']}, `anneal` {usual.classical}, {usual.seeds} seeds",
                      f"`bench/papers/colocrl`: seconds per training step; `colocrl` with {budget['learned']} and {usual.seeds} seeds",
                      f"`bench/papers/ablations`: {budget['learned']} a run, {usual.ablation_seeds} seeds"):
            self.assertIn(words, page)
        counted = re.findall(r"`bench/papers/ablations( --tables \S+ --evaluations (\d+))?`: ([\d,]+) evaluations", page)
        self.assertEqual(len(counted), 4)
        for flags, number, said in counted:
            self.assertEqual(number, said.replace(",", ""), "the command has the number of the table")
        made = base.with_flags("`bench/papers/ablations`: 512 evaluations", "ablation-options", base.Settings(evaluations=512).flags())
        self.assertIn(made, page)

    def test_kills_and_speed(self):
        # Whether bars on times are missed is for the bench: here the computer may be busy.
        run = [sys.executable, ROOT / "bench" / "kill_resume.py", BERTH, "--graph", GRAPH, "--kills", "2", "--interval", "0.5", "--updates", "400"]
        done = subprocess.run(run, capture_output=True, text=True, timeout=1800, check=False)
        for bar in (r"2 kills, every resume went on", r"all numbers of 400 updates are those of a run left alone", r"the best plan takes"):
            self.assertRegex(done.stdout, f"- PASS: {bar}", done.stderr)
        self.assertRegex(done.stdout, r"- (PASS|FAIL): the oldest checkpoint")
        done = subprocess.run([sys.executable, ROOT / "bench" / "policy_speed.py", BERTH, "--graphs", GRAPH, "--machine", "k40x2",
                               "--updates", "4"], capture_output=True, text=True, timeout=1800, check=False)
        self.assertEqual(done.returncode, 1 if "FAIL" in done.stdout else 0, done.stdout + done.stderr)
        self.assertIn("with 4 evaluated plans each", done.stdout)


class ArithmeticTest(unittest.TestCase):
    POINTS = [[1, 8, 1.0, None, None], [2, 16, 2.0, 5.0, 6.0], [3, 24, 3.0, 5.0, 5.5], [4, 32, 4.0, 3.0, 4.0]]

    def test_curves(self):
        by = curves.by_evaluations(self.POINTS)
        self.assertEqual([curves.best_at(by, n) for n in (8, 16, 31, 32)], [OOM, 5.0, 5.0, 3.0])
        self.assertEqual(curves.by_wall(self.POINTS, 10.0, 1)[0], (2.0 + 2 * 80.0, 5.0))  # 8 plans an update, one after the other
        self.assertEqual(curves.by_wall(self.POINTS, 10.0, 4)[-1], (4.0 + 4 * 20.0, 3.0))
        self.assertEqual(curves.median_curve([[(1, 5.0)], [(2, 3.0)], [(2, 4.0)]]), [(1, 5.0, OOM, OOM), (2, 3.0, 4.0, 5.0)])

    def test_reductions_and_cells(self):
        self.assertEqual(base.share(0.84, 2.13), "60.6 %")  # as the paper prints them
        self.assertEqual(base.share(4.07, 3.88), "-4.9 %")
        self.assertEqual([base.share(OOM, 1.0), base.share(1.0, OOM)], ["no plan", "-"])
        for facts in (*rows.HIERARCHICAL.values(), *rows.COLOCRL.values()):
            best = min(value for value in (facts.cpu, facts.gpu, facts.expert, facts.scotch, facts.mincut) if value is not None)
            computed = 100 * (1 - facts.learned / best)
            self.assertAlmostEqual(float(facts.reduction.split()[0]), computed, delta=4.5, msg=str(facts))

    def test_every_variant_has_its_own_runs(self):
        own = base.Papers(base.Settings(), None, {})
        for one in ablations.ALL:
            chosen = [variant for _, variants in one.chosen_parts(own) for variant in variants]
            found = list(one.jobs(own))
            self.assertEqual(len(found), len(set(found)), one.name)
            self.assertEqual(len(found), (len(chosen) + 1) * len(one.rows(own)) * getattr(own.settings, one.seeds))


class StoreTest(unittest.TestCase):
    def test_what_fails_is_shown_as_that(self):
        with tempfile.TemporaryDirectory() as text:
            folder = pathlib.Path(text)
            (folder / "berth").write_text("#!/bin/sh\necho 'berth: no' >&2\nexit 2\n")
            (folder / "berth").chmod(0o755)
            own = store.Store(Berth(folder / "berth"), folder / "out")
            job = jobs.train(rows.SIX[0], "colocrl", 1, jobs.Budget("1s"))
            self.assertIsNone(own.run(job))
            self.assertIn("berth: no", own.failures[job])
            self.assertEqual(base.Papers(base.Settings(), own, {}).show([job]), "failed")


if __name__ == "__main__":
    BERTH = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)

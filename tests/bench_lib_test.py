#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The library of the benchmarks (bench/lib), with programs made on the spot. Usage: bench_lib_test.py."""
import contextlib
import io
import json
import math
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))

from lib import berth, charts, cli, files, jobs, markdown, metrics, runner, stats, store, units  # noqa: E402
from lib.results import OOM, Cell, over, step_of  # noqa: E402

PLANNERS = {"planners": [
    {"name": "heft", "summary": "s", "learned": False, "built": True, "uses_seed": False, "uses_threads": False, "new": 1},
    {"name": "go", "summary": "s", "learned": True, "built": False, "uses_seed": True, "uses_threads": True}]}


class FolderTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def program(self, text, name="berth"):
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return berth.Berth(path)


class BerthTest(FolderTest):
    def test_answers_and_exit_codes(self):
        own = self.program('echo "{\\"words\\": \\"$*\\"}"; exit $CODE')
        for code in (0, 1):
            with unittest.mock.patch.dict(os.environ, CODE=str(code)):
                self.assertEqual(own.ask("place", pathlib.Path("/a b"), 3), {"words": "place /a b 3 --json"})
        with unittest.mock.patch.dict(os.environ, CODE="2"), self.assertRaisesRegex(berth.Failed, "^berth place --json: exit code 2: "):
            own.ask("place")

    def test_what_is_no_json_is_said_with_the_command(self):
        with self.assertRaisesRegex(berth.Failed, r"^berth place --json: no JSON .*: why$"):
            self.program("echo hm; echo why >&2").ask("place")

    def test_a_program_that_is_missing(self):
        with self.assertRaisesRegex(berth.Failed, "^none x: cannot be run: No such file or directory$"):
            berth.run([self.folder / "none", "x"])

    def test_a_process_that_takes_too_long_is_ended(self):
        running = self.program("exec sleep 1000").start()
        with self.assertRaisesRegex(berth.Failed, "^berth: no end within 0 s$"):
            running.wait(timeout=0.1)
        self.assertEqual(running.process.returncode, -signal.SIGKILL)

    def test_killed_from_outside(self):
        running = self.program("exec sleep 1000").start()
        self.assertFalse(running.has_ended())
        running.kill()
        self.assertEqual(running.wait().code, -signal.SIGKILL)

    def test_resources_are_those_of_the_process(self):
        block = f"exec {sys.executable} -S -c 'x = bytearray(200_000_000)'"
        small, large = self.program("exit 0").run(), self.program(block).run()
        self.assertGreater(large.peak_bytes, small.peak_bytes + 150e6)
        self.assertGreaterEqual(large.seconds, 0)

    def test_much_output_does_not_block(self):
        self.assertEqual(len(self.program("head -c 1000000 /dev/zero").run().out), 1000000)

    def test_facts_of_planners(self):
        found = self.program(f"echo '{json.dumps(PLANNERS)}'").planners()
        self.assertEqual(list(found), ["heft", "go"])
        self.assertEqual((found["go"].learned, found["go"].built, found["heft"].uses_seed), (True, False, False))

    def test_no_program_is_said_by_the_command_line(self):
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors), self.assertRaises(SystemExit):
            cli.parser("x").parse_args([str(self.folder / "none")])
        self.assertIn("none: no such program; build it (./run), or name another", errors.getvalue())


class CommandTest(FolderTest):
    def test_a_table_names_the_command_that_makes_it(self):
        parser = cli.parser("x")
        parser.add_argument("what", choices=("a", "b"))
        parser.add_argument("--budget", type=float, default=30)
        parser.add_argument("--seeds", type=int, default=3)
        parser.add_argument("--rows", nargs="+", default=[])
        parser.add_argument("--checks", default="p")
        own = self.program("")
        flags = parser.parse_args([own.path, "b", "--budget", "1.5", "--rows", "x y", "z", "--seeds", "3", "--checks", "q"])
        with unittest.mock.patch.object(sys, "argv", ["/somewhere/t.py"]):
            self.assertEqual(cli.command(parser, flags, without=("checks",)), "bench/t.py build/release/berth b --budget 1.5 --rows 'x y' z")


class StoreTest(FolderTest):
    """The program counts how often it runs."""

    def setUp(self):
        super().setUp()
        self.own = self.program(f'echo x >> {self.folder}/runs; echo "{{\\"feasible\\": true, \\"step_time_s\\": 2}}"')
        self.job = jobs.Job("a", (jobs.BERTH, "place", "g"), 1.0)

    def store(self):
        store.digest_of.cache_clear()  # as in a process of its own
        return store.Store(self.own, self.folder / "out")

    def runs(self):
        path = self.folder / "runs"
        return len(path.read_text().splitlines()) if path.exists() else 0

    def test_what_ran_is_not_run_again(self):
        self.assertIsNone(self.store().answer(self.job))
        self.assertEqual(self.store().run(self.job)["step_time_s"], 2)
        again = self.store()
        self.assertTrue(again.is_settled(self.job))
        self.assertEqual(again.answer(self.job)["step_time_s"], 2)
        self.assertEqual(self.runs(), 1)

    def test_another_command_build_or_file_is_another_run(self):
        graph = self.folder / "graph"
        graph.write_text("one")
        job = jobs.Job("a", (jobs.BERTH, "place", str(graph)), 1.0)
        self.store().run(job)
        self.assertIsNone(self.store().answer(jobs.Job("a", (jobs.BERTH, "place", str(graph), "--seed", "2"), 1.0)))
        graph.write_text("two")
        self.assertIsNone(self.store().answer(job), "the graph has changed")
        graph.write_text("one")
        self.assertIsNotNone(self.store().answer(job))
        (self.folder / "berth-learned").write_text("another half")
        self.assertIsNone(self.store().answer(job), "half of the program has changed")

    def test_labels_and_times_are_no_part_of_a_run(self):
        self.store().run(self.job)
        self.assertIsNotNone(self.store().answer(jobs.Job("b", self.job.command, 9.0)))

    def test_failures_leave_nothing_and_are_tried_again(self):
        self.own = self.program("echo no >&2; exit 2")
        first = self.store()
        self.assertIsNone(first.run(self.job))
        self.assertIn("exit code 2: no", first.failures[self.job])
        self.assertTrue(first.is_settled(self.job))
        self.assertEqual(list((self.folder / "out").iterdir()), [])
        self.assertFalse(self.store().is_settled(self.job))

    def test_a_refusal_can_be_an_answer(self):
        self.own = self.program("echo berth: too wide >&2; exit 2")
        self.assertEqual(self.store().run(jobs.Job("a", self.job.command, 1.0, may_refuse=True)), {"refused": "too wide"})

    def test_a_policy_is_kept_for_those_who_use_it(self):
        self.own = self.program('if [ "$1" = train ]; then mkdir "$2"; echo \'{"update": 1, "evaluations": 8, "elapsed_s": 1.0}\' > "$2/metrics.jsonl"; fi\n'
                                'test -e "$2/metrics.jsonl" && echo "{}"')
        policy = jobs.Job("p", (jobs.BERTH, "train", jobs.RUN), 1.0, keeps=True)
        use = jobs.Job("u", (jobs.BERTH, "place", jobs.POLICY), 1.0, policy=policy)
        own = self.store()
        self.assertEqual(jobs.unique([use, policy]), [policy, use])
        self.assertEqual(own.run(policy), {"curve": [[1, 8, 1.0, None, None]]})
        self.assertEqual(own.run(use), {})
        other = jobs.Job("u", use.command, 1.0, policy=jobs.Job("p", (*policy.command, "more"), 1.0, keeps=True))
        self.assertNotEqual(own.key(use), own.key(other))

    def test_survives_kill_9(self):
        """A bench that is killed while it runs the second of two: the first is kept, and nothing half."""
        self.own = self.program(f'echo x >> {self.folder}/runs; test "$2" = slow && exec sleep 1000; echo "{{}}"')
        script = (f"import sys; sys.path.insert(0, {str(ROOT / 'bench')!r})\n"
                  "from lib import berth, jobs, store\n"
                  f"own = store.Store(berth.Berth({self.own.path!r}), {str(self.folder / 'out')!r})\n"
                  "for word in ('quick', 'slow'): own.run(jobs.Job(word, (jobs.BERTH, 'place', word), 100.0))\n")
        bench = subprocess.Popen([sys.executable, "-c", script], start_new_session=True)
        while self.runs() < 2:
            time.sleep(0.01)
        os.killpg(bench.pid, signal.SIGKILL)
        bench.wait()
        self.assertEqual(len(list((self.folder / "out").glob("part-*"))), 1)
        again = self.store()
        self.assertEqual(list((self.folder / "out").glob("part-*")), [], "what the killed one left is removed")
        found = [again.is_settled(jobs.Job("", (jobs.BERTH, "place", word), 1.0)) for word in ("quick", "slow")]
        self.assertEqual(found, [True, False])

    def test_half_a_file_is_no_answer(self):
        own = self.store()
        own.path(self.job).write_text('{"answer": {"step')
        self.assertIsNone(own.answer(self.job))


class RunnerTest(unittest.TestCase):
    def test_jobs_that_use_all_cores_run_alone_and_may_open_others(self):
        running, seen, waiting = set(), [], {False: [1, 2, 3], True: ["a"]}

        class Stub:
            def run(self, job):
                running.add(job)
                seen.append((job, "a" in running and len(running) > 1))
                time.sleep(0.01)
                running.discard(job)
                return {}

        def finished(job, answer):
            if job == "a":
                waiting[False].append(4)

        runner.Runner(Stub(), 2, lambda alone: waiting[alone].pop(0) if waiting[alone] else None, finished).run()
        self.assertEqual(sorted(map(str, (job for job, _ in seen))), ["1", "2", "3", "4", "a"])
        self.assertEqual(seen[-1], (4, False))
        self.assertFalse(any(together for _, together in seen))

    def test_summaries(self):
        self.assertEqual(runner.summary({"feasible": True, "step_time_s": 0.5, "search_s": 1.0}), "500 ms, in 1.00 s")
        self.assertEqual(runner.summary({"feasible": False}), "no plan that fits, at once")
        self.assertEqual(runner.summary({"refused": "no"}), "refused: no")


class StatsTest(unittest.TestCase):
    def test_means_and_medians(self):
        self.assertAlmostEqual(stats.geometric_mean(iter([1.0, 4.0])), 2.0)
        self.assertTrue(math.isnan(stats.geometric_mean([])))
        self.assertEqual([stats.upper_median(values) for values in ([3, 1, 2], [4, 1, 2, 3], [])], [2, 3, None])
        self.assertEqual([stats.quantile([4, 1, 3, 2], share) for share in (0, 0.5, 1)], [1, 2.5, 4])

    def test_ranks(self):
        self.assertEqual(stats.ranks([5, 1, 5]), [2.5, 1.0, 2.5])
        self.assertAlmostEqual(stats.spearman([1, 2, 3], [10, 20, 30]), 1.0)
        self.assertAlmostEqual(stats.spearman([1, 2, 3], [3, 2, 1]), -1.0)
        self.assertIsNone(stats.spearman([1, 2], [1, 2]))
        self.assertIsNone(stats.spearman([1, 2, 3], [1, 1, 1]))

    def test_bootstrap(self):
        values = [1.0, 2.0, 3.0, 4.0, 10.0]
        low, high = stats.bootstrap(values, stats.mean)
        self.assertEqual([low, high], stats.bootstrap(values, stats.mean))
        self.assertTrue(1.0 < low < stats.mean(values) < high < 10.0)
        wider = stats.bootstrap(values, stats.mean, share=0.99)
        self.assertTrue(wider[0] < low and high < wider[1])
        self.assertEqual(stats.bootstrap([2.0, 2.0], stats.median), [2.0, 2.0])
        self.assertIsNone(stats.bootstrap([1.0], stats.mean))

    def test_out_of_memory_is_never_a_time(self):
        def cell(*steps):
            return Cell([{"feasible": step is not None, "step_time_s": step} for step in steps])
        self.assertEqual([cell(2.0, None, None).median, cell(3.0, None, 2.5).median], [OOM, 3.0])
        self.assertEqual((cell(3.0, None, 2.5).least, cell(3.0, None, 2.5).most), (2.5, OOM))
        self.assertFalse(cell(None).fits)
        self.assertEqual(step_of({}), OOM)
        self.assertEqual([over(2.0, 4.0), over(OOM, 4.0), over(2.0, OOM), over(OOM, OOM)], [0.5, OOM, 0.0, 1.0])


class UnitsTest(unittest.TestCase):
    def test_numbers(self):
        self.assertEqual([units.seconds(value) for value in (2.0, 0.0123456, 2e-6, 1e-9, 0.0, OOM)],
                         ["2 s", "12.35 ms", "2 us", "1e-09 s", "0 s", "OOM"])
        self.assertEqual([units.ratio(value) for value in (0.5, 123.4, OOM, math.nan)], ["0.500", "123", "OOM", "-"])
        self.assertEqual([units.percent(value) for value in (0.01234, 12.0)], ["1.23 %", "1,200 %"])
        self.assertEqual([units.byte_count(value) for value in (12, 12_345, 3e9)], ["12 B", "12.3 kB", "3 GB"])
        self.assertEqual([units.duration(text) for text in ("500ms", "10s", "1.5min")], [0.5, 10.0, 90.0])
        for bad in ("10", "s", "1h", "..s"):
            with self.assertRaises(ValueError):
                units.duration(bad)

    def test_spread(self):
        self.assertEqual(units.spread(2.0, 1.0, OOM), "2 s [1 s .. OOM]")
        self.assertEqual(units.spread(2.0, 2.0, 2.0000001), "2 s")


class MarkdownTest(unittest.TestCase):
    def test_tables(self):
        whole = markdown.table(["a", "b"], "lr", [["x|y", 1]])
        self.assertEqual(whole, "| a | b |\n| --- | ---: |\n| x\\|y | 1 |\n")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            table = markdown.Printed(["a", "b"], "lr")
            table.add("x|y", 1)
        self.assertEqual(printed.getvalue(), whole)
        with self.assertRaises(ValueError):
            table.add("too few")

    def test_bars(self):
        printed = io.StringIO()
        self.assertEqual(markdown.print_bars([("one", True), ("two", False), ("three", True)], printed), 1)
        self.assertEqual(printed.getvalue(), "- PASS: one\n- FAIL: two\n- PASS: three\n")
        self.assertEqual(markdown.print_bars([], printed), 0)

    def test_sections(self):
        page = "a\n<!-- t:begin -->\nold\n<!-- t:end -->\nz\n"
        self.assertEqual(markdown.put(page, "t", "\nnew\n\n"), "a\n<!-- t:begin -->\nnew\n<!-- t:end -->\nz\n")
        for bad in ("nothing", "<!-- t:end --><!-- t:begin -->", page + page):
            with self.assertRaises(ValueError):
                markdown.put(bad, "t", "new")


class OneLibraryTest(unittest.TestCase):
    """Scripts of bench/ and what they put into pages."""

    def scripts(self):
        found = [path for path in (ROOT / "bench").rglob("*") if path.is_file() and path.parent.name != "lib"]
        return {path.relative_to(ROOT / "bench"): path.read_text() for path in found if path.suffix == ".py" or path.read_bytes()[:2] == b"#!"}

    def test_processes_tables_and_charts_are_made_in_one_place(self):
        self.assertGreater(len(self.scripts()), 40)
        for name, text in self.scripts().items():
            for word in ("subprocess", "os.exec", "| ---", "--: |", "<svg", "matplotlib.", "statistics.", "math.exp"):
                self.assertNotIn(word, text, f"{name}: lib/ has that")

    def test_tables_between_markers_are_as_the_library_writes_them(self):
        count = 0
        for page in ("docs/results.md", "docs/planners.md", "docs/exports.md", "bench/README.md"):
            for name, text in re.findall(r"<!-- ([\w-]+):begin -->\n(.*?)<!-- \1:end -->", (ROOT / page).read_text(), re.DOTALL):
                lines = text.splitlines()
                for head, rule in zip(lines, lines[1:]):
                    if not re.fullmatch(r"\|([ :-]+\|)+", rule):
                        continue
                    count += 1
                    align = "".join("r" if cell.strip().endswith(":") else "l" for cell in rule.strip("|").split("|"))
                    self.assertEqual(rule, markdown.rule(align), f"{page}, {name}")
                    self.assertEqual(len(head.strip("|").split("|")), len(align), f"{page}, {name}: {head[:60]}")
        self.assertGreater(count, 60)


def in_seconds(text):
    """Of "709.3 ms", or of "372.1 ms (370.9 ms to 373.1 ms)"."""
    if text == "OOM":
        return OOM
    number, unit = text.split()[:2]
    return float(number) * {"s": 1.0, "ms": 1e-3}[unit]


class ReadmeTest(unittest.TestCase):
    """The first table of README is taken from docs/results.md."""

    def rows(self, text, section):
        inside = text.split(f"<!-- {section}:begin -->")[1].split(f"<!-- {section}:end -->")[0]
        return [[cell.strip() for cell in line.strip("|").split("|")] for line in inside.splitlines() if line.startswith("| ")]

    def test_its_numbers_are_those_of_the_results(self):
        results = (ROOT / "docs" / "results.md").read_text()
        learned = [row for row in self.rows(results, "papers-hierarchical") if row[1] == "here"]
        searched = {row[0]: row for row in self.rows(results, "planners") if len(row) == 9}
        head = "| model | one GPU | human expert | ColocRL"
        shown = [line.strip("|").replace("*", "").split("|") for line in (ROOT / "README.md").read_text().split(head)[1].splitlines()[2:8]]
        self.assertEqual(len(learned), len(shown))
        for mine, ours in zip(shown, learned):
            name = ours[0].removesuffix(" (t)")
            _, gpu, expert, colocrl, hierarchical, gain, auto, bound = (cell.strip() for cell in mine)
            with self.subTest(name):
                there = (*ours[3:5], *ours[7:9], *searched[name][6:8])
                for here, full in zip((gpu, expert, colocrl, hierarchical, auto, bound), map(in_seconds, there), strict=True):
                    if full == OOM:
                        self.assertEqual(here, "OOM")
                    else:
                        self.assertAlmostEqual(float(here), full, delta=0.51 * 10 ** -len(here.partition(".")[2]))
                self.assertEqual(gain.split(" %")[0], f"{float(ours[10].split()[0]):.0f}")


class FilesTest(FolderTest):
    def test_written_whole_with_the_rights_it_had(self):
        path = self.folder / "sub" / "f"
        files.write(path, "one")
        path.chmod(0o755)
        files.write(path, "two")
        self.assertEqual((path.read_text(), path.stat().st_mode & 0o777), ("two", 0o755))
        self.assertEqual(list(path.parent.iterdir()), [path])

    def test_what_others_write_now_stays(self):
        mine = files.make_folder(self.folder)
        gone = self.folder / f"part-{2**22 + 1}-x"  # no process has such a number
        gone.write_text("")
        files.forget_killed(self.folder)
        self.assertEqual(list(self.folder.iterdir()), [mine])

    def test_metrics_of_a_killed_run(self):
        self.assertEqual(metrics.lines(self.folder), [])
        (self.folder / "metrics.jsonl").write_text('{"update": 1}\n{"upd')
        self.assertEqual(metrics.updates(self.folder), [{"update": 1}])

    def test_thinned_keeps_what_changes(self):
        points = [[i, 8 * i, float(i), 2.0 if i < 5000 else 1.0, 4.0] for i in range(1, 10001)]
        kept = metrics.thinned(points)
        self.assertLess(len(kept), 2 * metrics.POINTS)
        self.assertIn([5000, 40000, 5000.0, 1.0, 4.0], kept)
        self.assertEqual(kept[-1], points[-1])


class ChartsTest(FolderTest):
    def drawn(self, figure):
        path = self.folder / "chart.svg"
        if not charts.write(path, figure):
            self.skipTest("no matplotlib")
        xml.etree.ElementTree.parse(path)
        return path.read_text()

    def curves(self):
        series = [charts.Series("a<b", "#000000", [(1, 1.0, OOM, OOM), (2, 1.0, 2.0, OOM), (900, 1.0, 1.5, 2.0)]),
                  charts.Series("dots", "#123456", [(5, 2.0, 2.0, 2.0), (6, OOM, OOM, OOM)], dots=True)]
        return charts.curves("t & u", [charts.Panel("p", "x", "y", series, [("level", 3.0)]), charts.Panel("empty", "x", "y", [])])

    def test_curves_are_the_same_file_each_time_and_hold_no_infinity(self):
        text = self.drawn(self.curves())
        self.assertEqual(text, self.drawn(self.curves()))
        for part in ("a&lt;b", "t &amp; u", "level", ">dots<"):
            self.assertIn(part, text)
        for part in ("inf", "nan", "dc:date", "Matplotlib"):
            self.assertNotIn(part, text)

    def test_scatter_has_a_dot_per_pair(self):
        text = self.drawn(charts.scatter("t", "x", "y", {"one": [(1.0, 2.0), (3.0, 3.5)], "<two>": [(2.0, 2.0)]}, str))
        self.assertIn("&lt;two&gt;", text)
        dots = [part for part in text.split("<g ") if "fill: #4e79a7" in part or "fill: #f28e2b" in part]
        self.assertEqual(sum(part.count("<use ") for part in dots), 3 + 2, "and one of each colour in the legend")

    def test_round_numbers(self):
        self.assertEqual(charts.round_numbers(0.9, 1100), [1, 10, 100, 1000])
        self.assertEqual([units.seconds(value) for value in charts.round_numbers(9e-7, 1100)], ["1 us", "100 us", "10 ms", "1 s", "100 s"])
        self.assertEqual([round(value, 6) for value in charts.round_numbers(1.0, 1.25)], [1.0, 1.1, 1.2])
        for low, high in ((1e-6, 1e6), (1.0, 1.0001), (3.0, 8.0)):
            self.assertLessEqual(len(charts.round_numbers(low, high)), 6)

    def test_without_matplotlib_a_line_says_how_to_get_it(self):
        said = []
        charts.matplotlib.cache_clear()
        self.addCleanup(charts.matplotlib.cache_clear)
        with unittest.mock.patch.object(charts, "install"), unittest.mock.patch.object(charts, "say", said.append), \
                unittest.mock.patch.object(charts, "DEBIAN_PACKAGES", str(self.folder)), \
                unittest.mock.patch.object(charts.importlib, "import_module", side_effect=ImportError):
            figure = self.curves()
            self.assertFalse(charts.write(self.folder / "none.svg", figure))
            self.assertFalse(charts.write(self.folder / "none.svg", charts.scatter("t", "x", "y", {"a": [(1, 1)]}, str)))
        self.assertEqual(len(said), 1)
        self.assertIn("scripts/install-dependencies bench", said[0])
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables of bench/recorded stand in their pages as bench/recorded_tables.py makes them, and README.md has what docs/results.md has. Usage: recorded_tables_test.py."""
import copy
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))

import exact_gaps  # noqa: E402
import readme_table  # noqa: E402
import recorded_tables  # noqa: E402
from lib import markdown  # noqa: E402


class RecordedTables(unittest.TestCase):
    def test_pages_have_what_the_records_say(self):
        for name in recorded_tables.TABLES:
            page = recorded_tables.page_of(name).read_text()
            self.assertEqual(markdown.put(page, name, recorded_tables.section(name)), page,
                             f"{name}: run bench/recorded_tables.py --all")

    def test_the_problems_of_the_exact_set(self):
        page = (ROOT / "docs" / "exact-set.md").read_text()
        self.assertEqual(markdown.put(page, "exact-set", exact_gaps.listed()), page, "bench/exact_gaps.py --list makes it")

    def test_every_record_of_a_measurement_has_a_table_and_says_where_it_is_from(self):
        plans = {"before_phases", "services", "modules"}  # of bench/same_plans.py
        named = {file for _, file, _ in recorded_tables.TABLES.values()}
        self.assertEqual({path.stem for path in recorded_tables.RECORDED.glob("*.json")} - plans, named)
        for file in named:
            found = recorded_tables.record(file)
            self.assertRegex(found["date"], r"^20\d\d-\d\d-\d\d$", file)
            for fact in ("machine", "command", "kept"):
                self.assertTrue(found[fact], f"{file}: {fact}")

    def test_readme_says_what_the_results_say(self):
        shown = markdown.table_of((ROOT / "README.md").read_text(), "papers", "model", "lower bound")
        made = [cells for _, cells in readme_table.lines()]
        self.assertEqual([list(line.values())[:-1] for line in shown], made, "bench/readme_table.py makes it")

    def test_medians_of_cells(self):
        self.assertEqual([readme_table.seconds(cell) for cell in ("532.2 ms [526.8 ms .. 536.4 ms]", "2.39 s (2.35 s to 2.44 s)", "1.232 s", "OOM")],
                         ["0.532", "2.39", "1.23", "OOM"])
        page = "<!-- a:begin -->\nwords\n\n| x | y |\n| --- | --- |\n| 1 | 2 |\n\n| z |\n| --- |\n| 3 |\n<!-- a:end -->"
        self.assertEqual(markdown.table_of(page, "a", "z"), [{"z": "3"}])
        self.assertEqual(markdown.table_of(page, "a", "y"), [{"x": "1", "y": "2"}])
        with self.assertRaisesRegex(ValueError, "section a has no table with w"):
            markdown.table_of(page, "a", "w")

    def test_what_is_derived_follows_the_record(self):
        found = copy.deepcopy(recorded_tables.record("capped"))
        found["rows"] = [{**found["rows"][0], "auto_s": 2.0, "layers_s": 8.0, "ops_s": 8.0},
                         {**found["rows"][0], "auto_s": 0.25, "layers_s": 0.2, "ops_s": None}]
        lines = recorded_tables.capped(found).splitlines()
        self.assertTrue(lines[2].endswith("| 2.000 s (0.375 s) | 8.000 s | 8.000 s | 4.0 times |"), lines[2])
        self.assertEqual(lines[3], "|  | 16 GiB | 0.250 s (0.375 s) | 0.200 s | no such plan fits | 0.80 times |")
        row = {"run": "r", "cpu_s": [3.0, 40.0], "gpu_s": [1.0, 2.0]}
        self.assertEqual(recorded_tables.gain(row), "3.0 and 20 times as fast")
        self.assertEqual(recorded_tables.gain({**row, "no_gain": "why"}), "no gain: why")

    def test_the_command_prints_the_section(self):
        program = ROOT / "bench" / "recorded_tables.py"
        done = subprocess.run([sys.executable, program, "capped"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, recorded_tables.section("capped")), done.stderr)
        for words in ([], ["capped", "--all"], ["nothing"]):
            self.assertEqual(subprocess.run([sys.executable, program, *words], capture_output=True).returncode, 2, words)


if __name__ == "__main__":
    unittest.main()

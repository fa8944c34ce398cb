# SPDX-License-Identifier: Apache-2.0
"""What tests of `berth export` share: a plan, its export, and the way back."""
import csv
import json
import pathlib

from command_line import CommandLineTest


class ExportCase(CommandLineTest):
    def plan(self, graph, machine="k40x2", planner="expert-layers", *more):
        path = str(self.folder / f"plan{len(list(self.folder.iterdir()))}.json")
        self.text_of("place", graph, "-m", machine, "-p", planner, "--evaluations", "20", "-o", path, *more)
        return path

    def devices_of(self, path):
        return {op["name"]: op["device"] for op in json.loads(pathlib.Path(path).read_text())["ops"]}

    def export(self, graph, plan, form, *more, out=None):
        out = out or str(self.folder / f"out-{form}")
        document = self.json_of("export", graph, "--plan", plan, "--to", form, "-o", out, *more)
        for file in document["files"]:
            self.assertTrue(pathlib.Path(file).is_file(), file)
        return out, document

    def placed_like(self, graph, foreign, plan, machine="k40x2", *more):
        """The foreign plan, read back and written as ours, is the plan."""
        scored = self.json_of("score", graph, "-m", machine, "--plan", foreign, *more)
        table = str(self.folder / "again.csv")
        self.text_of("export", graph, "-m", machine, "--plan", foreign, "--to", "csv", "-o", table, *more)
        again = {row["op"]: row["device"] for row in csv.DictReader(open(table, newline=""))}
        self.assertEqual(again, self.devices_of(plan))
        return scored

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fusers and orders on given placements: two tables of step times in milliseconds, as docs/planners.md has them.

stages.py BERTH [fusion | order] [--evaluations N]    Every cell is one `berth place` of a placement that a simple planner made.
bench/stages.py build/release/berth fusion | bench/put_section.py fusion docs/planners.md
"""
import pathlib
import tempfile

from lib import cli, markdown, results, units

ROWS = [("zoo:rnnlm", "k40x2", "gpu-only"), ("zoo:rnnlm", "k40x2", "expert-layers"),
        ("zoo:bert-base", "k40x4", "gpu-only"), ("zoo:bert-base", "k40x4", "expert-layers"),
        ("zoo:inception-v3", "k40x2", "gpu-only"),
        ("zoo:inception-v3", "k40x2", "metis")]
TABLES = {"fusion": ("--fusion", ["none", "greedy", "xla", "random", "best"]),
          "order": ("--schedule", ["fifo", "critical-path", "random", "search"])}


def print_table(flags, title, flag, methods, placements):
    table = markdown.Printed([title, *methods], "l" + "r" * len(methods))
    for (graph, machine, planner), path in placements:
        answers = [flags.berth.ask("place", graph, "-m", machine, "--placement", path, flag, method, "--evaluations", flags.evaluations)
                   for method in methods]
        table.add(f"{graph.removeprefix('zoo:')}, {machine}, `{planner}`", *(units.milliseconds(results.step_of(one)) for one in answers))
    print()


def main():
    parser = cli.parser(__doc__)
    parser.add_argument("what", nargs="?", choices=TABLES, help="one of the tables (default: both)")
    parser.add_argument("--evaluations", default="300", help="plans to simulate per cell")
    flags = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        placements = []
        for number, row in enumerate(ROWS):
            path = pathlib.Path(folder) / f"{number}.json"
            flags.berth.ask("place", row[0], "-m", row[1], "-p", row[2], "-o", path)
            placements.append((row, path))
        for name in [flags.what] if flags.what else TABLES:
            print_table(flags, name, *TABLES[name], placements)


if __name__ == "__main__":
    cli.run(main)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fusers and orders on given placements: two tables of step times in milliseconds, as docs/planners.md has them.

stages.py BERTH [--evaluations N]: every cell is one `berth place` of a placement that a simple planner made."""
import argparse
import json
import pathlib
import subprocess
import tempfile

ROWS = [("zoo:rnnlm", "k40x2", "gpu-only"), ("zoo:rnnlm", "k40x2", "expert-layers"),
        ("zoo:bert-base", "k40x4", "gpu-only"), ("zoo:bert-base", "k40x4", "expert-layers"),
        ("zoo:inception-v3", "k40x2", "gpu-only"),
        ("zoo:inception-v3", "k40x2", "metis")]
FUSIONS = ["none", "greedy", "xla", "random", "best"]
SCHEDULES = ["fifo", "critical-path", "random", "search"]


def place(berth, graph, machine, *flags):
    done = subprocess.run([berth, "place", graph, "-m", machine, "--json", *flags], capture_output=True, text=True)
    if done.returncode > 1:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def cell(outcome):
    return f"{outcome['step_time_s'] * 1e3:.1f}" if outcome["feasible"] else "OOM"


def table(title, methods, flag, placements, berth, evaluations):
    print(f"| {title} | " + " | ".join(methods) + " |")
    print("| --- |" + " ---: |" * len(methods))
    for (graph, machine, planner), path in placements:
        cells = [cell(place(berth, graph, machine, "--placement", path, flag, method, "--evaluations", evaluations))
                 for method in methods]
        print(f"| {graph.removeprefix('zoo:')}, {machine}, `{planner}` | " + " | ".join(cells) + " |", flush=True)
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("berth")
    parser.add_argument("--evaluations", default="300", help="plans to simulate per cell")
    flags = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        placements = []
        for number, row in enumerate(ROWS):
            path = str(pathlib.Path(folder) / f"{number}.json")
            place(flags.berth, row[0], row[1], "-p", row[2], "-o", path)
            placements.append((row, path))
        table("fusion", FUSIONS, "--fusion", placements, flags.berth, flags.evaluations)
        table("order", SCHEDULES, "--schedule", placements, flags.berth, flags.evaluations)


if __name__ == "__main__":
    main()

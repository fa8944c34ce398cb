#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Planners on the public pipeline problems of Tarnawski et al. (2020), beside their contiguous optimum.

msr.py BERTH [--planners dp,auto] [--budget 30s]     Markdown table, loads in ms

The problems are read from msr-dnn-partitioning in the folder BERTH_DATA, else ../shared/data from the project's root.
"""
import argparse
import csv
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = pathlib.Path(os.environ.get("BERTH_DATA", ROOT.parent / "shared" / "data")) / "msr-dnn-partitioning"


def optima():
    with open(DATA / "recomputed" / "table.csv", newline="", encoding="utf-8") as table:
        for row in csv.DictReader(table):
            if row["contiguous_optimum_ms_own_dp"]:
                yield row["workload"], float(row["contiguous_optimum_ms_own_dp"])


def place(berth, problem, planner, budget):
    command = [berth, "place", str(problem), "--planner", planner, "--budget", budget, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"{problem.name}: {done.stderr.strip()}")
    answer = json.loads(done.stdout)
    return answer["objective_value_s"] * 1e3 if answer["feasible"] else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth", help="the program")
    parser.add_argument("--planners", default="dp,auto")
    parser.add_argument("--budget", default="30s", help="per planner and problem (default 30s)")
    flags = parser.parse_args()
    planners = flags.planners.split(",")
    print("| problem | contiguous optimum |", " | ".join(f"`{name}`" for name in planners), "|")
    print("| --- | --: |", " | ".join("--:" for _ in planners), "|", flush=True)
    for workload, optimum in optima():
        cells = []
        for planner in planners:
            load = place(flags.berth, DATA / "throughput-inputs" / f"{workload}.json", planner, flags.budget)
            cells.append("OOM" if load is None else f"{load:.3f} ({load / optimum - 1:+.1%})")
        print(f"| {pathlib.Path(workload).name} | {optimum:.3f} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Planners on the public pipeline problems of Tarnawski et al. (2020), beside their contiguous optimum.

msr.py BERTH [--planners dp,auto] [--budget 30s] [--threads 1]     Markdown table, loads in ms

Below the table stands on stderr what has to hold, PASS or FAIL; exit code 1 if something does not:
`dp` equals the contiguous optimum within 0.5 %, `auto` is never above it, and on GNMT training it is 10 % below.
The problems are read from msr-dnn-partitioning in the folder BERTH_DATA, else ../shared/data from the project's root.
"""
import argparse
import csv
import json
import os
import pathlib
import subprocess
import sys

DP_TOLERANCE = 0.005
GNMT, GNMT_BAR = "LayerGraphs/gnmt_training", 0.9
ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = pathlib.Path(os.environ.get("BERTH_DATA", ROOT.parent / "shared" / "data")) / "msr-dnn-partitioning"


def optima():
    with open(DATA / "recomputed" / "table.csv", newline="", encoding="utf-8") as table:
        for row in csv.DictReader(table):
            if row["contiguous_optimum_ms_own_dp"]:
                yield row["workload"], float(row["contiguous_optimum_ms_own_dp"])


def place(flags, problem, planner):
    """Load in ms of the plan found, or None if it does not fit."""
    limits = ["--budget", flags.budget, "--threads", str(flags.threads)]
    command = [flags.berth, "place", str(problem), "--planner", planner, *limits, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"{problem.name}: {done.stderr.strip()}")
    answer = json.loads(done.stdout)
    return answer["objective_value_s"] * 1e3 if answer["feasible"] else None


def bars(found):
    """(what, whether it holds), for the planners that ran; found: planner -> workload -> (load or None, optimum)."""
    def share(planner, workload):
        load, optimum = found[planner][workload]
        return load / optimum if load else float("inf")

    if "dp" in found:
        apart = {workload: abs(share("dp", workload) - 1) for workload in found["dp"]}
        yield f"dp equals the contiguous optimum within {DP_TOLERANCE:.1%}", max(apart.values()) <= DP_TOLERANCE
    if "auto" in found:
        above = [workload for workload in found["auto"] if share("auto", workload) > 1 + 1e-6]
        yield " ".join(["auto is never above the contiguous optimum", *above]), not above
        yield f"auto is {1 - GNMT_BAR:.0%} below it on GNMT training", share("auto", GNMT) <= GNMT_BAR


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth", help="the program")
    parser.add_argument("--planners", default="dp,auto")
    parser.add_argument("--budget", default="30s", help="per planner and problem (default 30s)")
    parser.add_argument("--threads", type=int, default=1, help="for planners that can use several (default 1)")
    flags = parser.parse_args()
    planners = flags.planners.split(",")
    found = {planner: {} for planner in planners}
    print("| problem | contiguous optimum |", " | ".join(f"`{name}`" for name in planners), "|")
    print("| --- | --: |", " | ".join("--:" for _ in planners), "|", flush=True)
    for workload, optimum in optima():
        cells = []
        for planner in planners:
            load = place(flags, DATA / "throughput-inputs" / f"{workload}.json", planner)
            found[planner][workload] = load, optimum
            cells.append("OOM" if load is None else f"{load:.3f} ({load / optimum - 1:+.1%})")
        print(f"| {pathlib.Path(workload).name} | {optimum:.3f} |", " | ".join(cells), "|", flush=True)
    passed = True
    for what, holds in bars(found):
        print("PASS:" if holds else "FAIL:", what, file=sys.stderr)
        passed = passed and holds
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()

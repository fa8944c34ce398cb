#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Planners on the public pipeline problems of Tarnawski et al. (2020), beside their contiguous optimum.

msr.py BERTH [--planners dp,auto] [--budget 30s] [--threads 1]     Markdown table, loads in ms

Below the table stands on stderr what has to hold, PASS or FAIL; exit code 1 if something does not:
`dp` equals the contiguous optimum within 0.5 %, `auto` is never above it, and on GNMT training it is 10 % below.
The problems are read from msr-dnn-partitioning in the folder BERTH_DATA, else ../shared/data from the project's root.
"""
import csv
import pathlib
import sys

from lib import cli, markdown, paths

DP_TOLERANCE = 0.005
GNMT, GNMT_BAR = "LayerGraphs/gnmt_training", 0.9
DATA = paths.data("msr-dnn-partitioning")


def optima():
    with open(DATA / "recomputed" / "table.csv", newline="", encoding="utf-8") as table:
        for row in csv.DictReader(table):
            if row["contiguous_optimum_ms_own_dp"]:
                yield row["workload"], float(row["contiguous_optimum_ms_own_dp"])


def place(flags, problem, planner):
    """Load in ms of the plan found, or None if it does not fit."""
    answer = flags.berth.ask("place", problem, "--planner", planner, "--budget", flags.budget, "--threads", flags.threads)
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
    parser = cli.parser(__doc__)
    parser.add_argument("--planners", default="dp,auto")
    parser.add_argument("--budget", default="30s", help="per planner and problem (default 30s)")
    parser.add_argument("--threads", type=int, default=1, help="for planners that can use several (default 1)")
    flags = parser.parse_args()
    planners = flags.planners.split(",")
    found = {planner: {} for planner in planners}
    table = markdown.Printed(["problem", "contiguous optimum", *(f"`{name}`" for name in planners)], "lr" + "r" * len(planners))
    for workload, optimum in optima():
        cells = []
        for planner in planners:
            load = place(flags, DATA / "throughput-inputs" / f"{workload}.json", planner)
            found[planner][workload] = load, optimum
            cells.append("OOM" if load is None else f"{load:.3f} ({load / optimum - 1:+.1%})")
        table.add(pathlib.Path(workload).name, f"{optimum:.3f}", *cells)
    return markdown.print_bars(bars(found), sys.stderr)


if __name__ == "__main__":
    cli.run(main)

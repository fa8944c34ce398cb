#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Large graphs on nine devices: how long planners search, how soon `auto` has a plan that fits, and how much memory it takes.

large_graph.py BERTH [--runs 3] [--threads 1]     Markdown table, then PASS or FAIL per bar; exit code 1 if one is missed

Bars: `heft` and `m-etf` search for less than 5 s, `auto` has a plan that fits within a budget of 1 s, and no process takes 2 GB.
`auto` gets ever larger budgets until its plan fits, then 3 s. The quickest of the runs counts.
Captured graphs are read from the folder BERTH_DATA, else ../shared/data from the project's root, and left out where missing.
"""
import argparse
import os
import pathlib
import sys

from planners_lib.peak_memory import json_and_usage

ROOT = pathlib.Path(__file__).resolve().parent.parent
CAPTURED = pathlib.Path(os.environ.get("BERTH_DATA", ROOT.parent / "shared" / "data")) / "captured" / "nmt8.train.json.gz"
MACHINE = "k40x8"  # eight GPUs and a CPU
LIST_SCHEDULERS = ["heft", "m-etf"]
LIST_SECONDS, MOST_BYTES = 5.0, 2e9
FIRST_BUDGETS, LONG_BUDGET = ["50ms", "100ms", "200ms", "500ms", "1s"], "3s"


def run(flags, graph, planner, budget="10s"):
    """The outcome of one process, with its peak memory as 'peak_bytes'."""
    command = [flags.berth, "place", graph, "-m", MACHINE, "-p", planner, "--budget", budget, "--threads", str(flags.threads),
               "--quiet", "--json"]
    answer, usage = json_and_usage(command)
    return {**answer, "peak_bytes": usage.ru_maxrss * 1024}


def least(flags, *args):
    """The quickest of several runs, with the largest peak of them."""
    runs = [run(flags, *args) for _ in range(flags.runs)]
    best = min(runs, key=lambda one: (not one["feasible"], one["search_s"]))
    return {**best, "peak_bytes": max(one["peak_bytes"] for one in runs)}


def name_of(graph):
    return pathlib.Path(graph).name.removesuffix(".json.gz")


def show(graph, planner, budget, outcome):
    step = f"{outcome['step_time_s']:.3f} s" if outcome["feasible"] else "OOM"
    print(f"| {name_of(graph)} | {outcome['ops']:,} | `{planner}` | {budget} | {step} | {outcome['search_s']:.3f} s |",
          f"{outcome['peak_bytes'] / 1e6:.0f} MB |", flush=True)


def measure(flags, graph):
    """Prints the rows of one graph; yields (what, whether it holds)."""
    name, peaks = name_of(graph), []
    for planner in LIST_SCHEDULERS:
        outcome = least(flags, graph, planner)
        show(graph, planner, "-", outcome)
        peaks.append(outcome["peak_bytes"])
        yield f"{name}: {planner} searches for less than {LIST_SECONDS:g} s", outcome["search_s"] < LIST_SECONDS
    for budget in FIRST_BUDGETS:
        outcome = least(flags, graph, "auto", budget)
        show(graph, "auto", budget, outcome)
        if outcome["feasible"]:
            break
    yield f"{name}: auto has a plan that fits within {FIRST_BUDGETS[-1]}", outcome["feasible"]
    outcome = run(flags, graph, "auto", LONG_BUDGET)
    show(graph, "auto", LONG_BUDGET, outcome)
    peaks.append(outcome["peak_bytes"])
    yield f"{name}: less than {MOST_BYTES / 1e9:g} GB", max(peaks) < MOST_BYTES


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth", help="the program")
    parser.add_argument("--runs", type=int, default=3, help="of which the quickest counts (default 3)")
    parser.add_argument("--threads", type=int, default=1, help="for auto (default 1)")
    flags = parser.parse_args()
    graphs = [str(CAPTURED)] if CAPTURED.exists() else []
    if not graphs:
        print(f"no {CAPTURED.name} in the data folder (BERTH_DATA)", file=sys.stderr)
    print("| graph | ops | planner | budget | step time | search | peak memory |")
    print("| --- | --: | --- | --: | --: | --: | --: |", flush=True)
    bars = [bar for graph in [*graphs, "zoo:nmt-8"] for bar in measure(flags, graph)]
    for what, holds in bars:
        print("PASS:" if holds else "FAIL:", what)
    sys.exit(0 if all(holds for _, holds in bars) else 1)


if __name__ == "__main__":
    main()

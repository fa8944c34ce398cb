#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Large graphs on nine devices: how long planners search, how soon `auto` has a plan that fits, and how much memory it takes.

large_graph.py BERTH [--runs 3] [--threads 1]     Markdown table, then PASS or FAIL per bar; exit code 1 if one is missed

Bars: `heft` and `m-etf` search for less than 5 s, `auto` has a plan that fits within a budget of 1 s, and no process takes 2 GB.
`auto` gets ever larger budgets until its plan fits, then 3 s. The quickest of the runs counts.
Captured graphs are read from the folder BERTH_DATA, else ../shared/data from the project's root, and left out where missing.
"""
import pathlib

from lib import cli, markdown, paths, units

CAPTURED = paths.captured("nmt8.train")
MACHINE = "k40x8"  # eight GPUs and a CPU
LIST_SCHEDULERS = ["heft", "m-etf"]
LIST_SECONDS, MOST_BYTES = 5.0, 2e9
FIRST_BUDGETS, LONG_BUDGET = ["50ms", "100ms", "200ms", "500ms", "1s"], "3s"


def run(flags, graph, planner, budget="10s"):
    """The outcome of one process, with its peak memory as 'peak_bytes'."""
    done = flags.berth.run("place", graph, "-m", MACHINE, "-p", planner, "--budget", budget, "--threads", flags.threads, "--quiet", "--json")
    return {**done.json(), "peak_bytes": done.peak_bytes}


def least(flags, *args):
    """The quickest of several runs, with the largest peak of them."""
    runs = [run(flags, *args) for _ in range(flags.runs)]
    best = min(runs, key=lambda one: (not one["feasible"], one["search_s"]))
    return {**best, "peak_bytes": max(one["peak_bytes"] for one in runs)}


def name_of(graph):
    return f"`{graph}`" if graph.startswith("zoo:") else f"captured {pathlib.Path(graph).name.split('.')[0]}"


class Rows:
    """Of one graph in the table, which names it once."""

    def __init__(self, table, graph):
        self.table, self.name = table, name_of(graph)

    def add(self, planner, budget, outcome):
        step = f"{outcome['step_time_s']:.3f} s" if outcome["feasible"] else "OOM"
        self.table.add(self.name, f"{outcome['ops']:,}" if self.name else "", f"`{planner}`", budget, step, f"{outcome['search_s']:.3f} s",
                       units.megabytes(outcome["peak_bytes"]))
        self.name = ""


def measure(flags, graph, table):
    """Adds the rows of one graph; yields (what, whether it holds)."""
    name, rows, peaks = name_of(graph), Rows(table, graph), []
    for planner in LIST_SCHEDULERS:
        outcome = least(flags, graph, planner)
        rows.add(planner, "-", outcome)
        peaks.append(outcome["peak_bytes"])
        yield f"{name}: {planner} searches for less than {LIST_SECONDS:g} s", outcome["search_s"] < LIST_SECONDS
    for budget in FIRST_BUDGETS:
        outcome = least(flags, graph, "auto", budget)
        rows.add("auto", budget, outcome)
        if outcome["feasible"]:
            break
    yield f"{name}: auto has a plan that fits within {FIRST_BUDGETS[-1]}", outcome["feasible"]
    outcome = run(flags, graph, "auto", LONG_BUDGET)
    rows.add("auto", LONG_BUDGET, outcome)
    peaks.append(outcome["peak_bytes"])
    yield f"{name}: less than {MOST_BYTES / 1e9:g} GB", max(peaks) < MOST_BYTES


def main():
    parser = cli.parser(__doc__)
    parser.add_argument("--runs", type=int, default=3, help="of which the quickest counts (default 3)")
    parser.add_argument("--threads", type=int, default=1, help="for auto (default 1)")
    flags = parser.parse_args()
    graphs = [str(CAPTURED)] if CAPTURED.exists() else []
    if not graphs:
        cli.say(f"no {CAPTURED.name} in the data folder (BERTH_DATA)")
    table = markdown.Printed(["graph", "ops", "planner", "budget", "step time", "search", "peak memory"], "lrlrrrr")
    bars = [bar for graph in [*graphs, "zoo:nmt-8"] for bar in measure(flags, graph, table)]
    print()
    return markdown.print_bars(bars)


if __name__ == "__main__":
    cli.run(main)

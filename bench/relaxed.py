#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What bounds the plans of `auto` on rows of the suite: idle time of the accelerators by cause, the same plan on machines without
one of the limits, and what `auto` finds on such machines.

relaxed.py BERTH                    Markdown table
"""
import pathlib
import tempfile

from lib import cli, markdown, units
from suite import rows as suite

CAUSES = ("busy_s", "results_s", "transfers_s", "links_s", "devices_s", "done_s")
FAST = ["--set", "link.*.bandwidth=1000x", "--set", "link.*.latency=1ns"]
ROOMY = ["--set", "gpu.memory=1000GiB"]
MANY = ["--set", "gpu.lanes=64", *ROOMY]  # whatever is ready starts: no order, no load


def shares(explained):
    """Of the time of all accelerators, by cause."""
    devices = [one for one in explained["idle"] if one["device"] != "cpu"]
    sums = [sum(one[cause] for one in devices) for cause in CAUSES]
    return [f"{part / sum(sums):.0%}" for part in sums]


def step(answer):
    return units.seconds(answer["step_time_s"]) if answer["feasible"] else "OOM"


def searched(options, problem, *more):
    limits = ["--evaluations", options.evaluations, "--threads", 1, "--seed", options.seed]
    return step(options.berth.ask("place", *problem, "--planner", "auto", *limits, *more))


def main():
    parser = cli.parser(__doc__)
    parser.add_argument("--rows", nargs="*", metavar="WORD", help="those with a word in their name (default all)")
    parser.add_argument("--evaluations", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plans-alone", action="store_true", help="no search on relaxed machines")
    options = parser.parse_args()
    berth = options.berth
    print(f"`{cli.command(parser, options)}`\n", flush=True)
    head = ["row", "step", "bound", "busy", "results", "transfers", "busy links", "busy devices", "done"]
    relaxed = ["links x 1000", "64 lanes", "both"] + ([] if options.plans_alone else ["`auto`: links x 1000", "memory"])
    table = markdown.Printed(head + relaxed, "l" + "r" * (len(head) + len(relaxed) - 1))
    with tempfile.TemporaryDirectory() as folder:
        for row in suite.load_rows(suite.SUITE, options.rows):
            machine = suite.machine_argument(berth, row, suite.Scale(), pathlib.Path(folder))
            problem = [row.graph_argument(), "--machine", machine]
            plan = str(pathlib.Path(folder) / "plan.json")
            found = searched(options, problem, "-o", plan)
            explained = berth.ask("explain", *problem, "--plan", plan)
            cells = [step(berth.ask("score", *problem, "--plan", plan, *change)) for change in (FAST, MANY, FAST + MANY)]
            if not options.plans_alone:
                cells += [searched(options, problem, *change) for change in (FAST, ROOMY)]
            table.add(row.name, found, units.seconds(explained["lower_bound_s"]), *shares(explained), *cells)


if __name__ == "__main__":
    cli.run(main)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""simple_planners.py BERTH: what planners without a search make of the papers' rows. Deterministic.

simple_planners.py BERTH here       each of them, and the lower bound
simple_planners.py BERTH beside     those that the Hierarchical Planner's paper has, beside its numbers
"""
from lib import cli, markdown, units
from lib.results import step_of
from papers.tables import rows
from papers.tables.base import published

PLANNERS = ("cpu-only", "gpu-only", "expert", "round-robin", "random")


def step_times(berth, row):
    """The answer, and the step time of each planner as tables show it."""
    answer = berth.ask("compare", row.graph, "--machine", row.machine, "--planners", ",".join(PLANNERS), "--seed", "1", "--quiet")
    return answer, {one["planner"]: units.seconds(step_of(one)) for one in answer["rows"]}


def here(berth):
    table = markdown.Printed(["model", "machine", "ops", *PLANNERS, "lower bound"], "llr" + "r" * len(PLANNERS) + "r")
    for row in rows.SIX:
        answer, steps = step_times(berth, row)
        table.add(f"`{row.model}`", f"`{row.machine}`", f"{answer['rows'][0]['ops']:,}", *(steps[name] for name in PLANNERS),
                  units.seconds(answer["rows"][0]["lower_bound_s"]))


def beside(berth):
    table = markdown.Printed(["model", "machine", "cpu-only: paper", "ours", "gpu-only: paper", "ours", "expert: paper", "ours"], "llrrrrrr")
    for row in rows.SIX:
        _, steps = step_times(berth, row)
        theirs = rows.HIERARCHICAL[row.model]
        table.add(f"`{row.model}`", f"`{row.machine}`", published(theirs.cpu), steps["cpu-only"], published(theirs.gpu), steps["gpu-only"],
                  published(theirs.expert), steps["expert"])


def main():
    parser = cli.parser(__doc__)
    parser.add_argument("table", choices=("here", "beside"))
    flags = parser.parse_args()
    print(f"`{cli.command(parser, flags)}`\n")
    {"here": here, "beside": beside}[flags.table](flags.berth)


if __name__ == "__main__":
    cli.run(main)

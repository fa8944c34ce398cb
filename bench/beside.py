#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two builds of the program side by side: `auto` of both on rows of the suite with equal evaluations and one thread, so that the
plans depend on the seed alone and not on what else the computer does; or, with --budget, with equal seconds and two threads, by turns, on
an idle computer. A program that searches a smaller copy of a graph shows what that is worth only by seconds.

beside.py BERTH BASE                Markdown table: step times over those of the base, and evaluations per second of CPU time of both

`BASE` is the program before a change, kept from before it was built anew. User time is what is compared: the loading of the
graph and the bound are in it, for both alike.
"""
import pathlib
import tempfile

from lib import cli, markdown, stats, units
from lib.berth import Berth
from suite import rows as suite


def searched(berth, row, machine, options, seed):
    """Step time, and evaluations per second of user time."""
    limits = ["--budget", options.budget, "--threads", 2] if options.budget else ["--evaluations", options.evaluations, "--threads", 1]
    limits += ["--seed", seed]
    done = berth.run("place", row.graph_argument(), "--machine", machine, "--planner", options.planner, *limits, "--json")
    answer = done.json()
    time = answer["step_time_s"] if answer["feasible"] else float("inf")
    return time, answer["evaluations"] / max(done.usage.ru_utime, 1e-9)


def measured(row, options, folder):
    """Per build the (step time, pace) of every seed, taken in turn."""
    machine = suite.machine_argument(options.berth, row, suite.Scale(), folder)
    found = ([], [])
    for seed in range(1, options.seeds + 1):
        for berth, results in zip((options.base, options.berth), found):
            results.append(searched(berth, row, machine, options, seed))
    return found


def main():
    parser = cli.parser(__doc__)
    parser.add_argument("base", type=Berth, help="the program to compare with")
    parser.add_argument("--rows", nargs="*", metavar="WORD", help="those with a word in their name (default all)")
    parser.add_argument("--planner", default="auto")
    parser.add_argument("--evaluations", type=int, default=2000)
    parser.add_argument("--budget", help="seconds of each search, such as 10s, in place of evaluations")
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    chosen = suite.load_rows(suite.SUITE, options.rows)
    command = cli.command(parser, options).replace(" build/release/berth", " BASE").replace(" BASE", " build/release/berth", 1)
    print(f"`{command}`\n", flush=True)
    table = markdown.Printed(["row", "before", "now", "now / before", "by seed", "evaluations / s before", "now"], "lrrrrrr")
    ratios, paces = [], []
    with tempfile.TemporaryDirectory() as folder:
        for row in chosen:
            before, now = measured(row, options, pathlib.Path(folder))
            by_seed = [new[0] / old[0] for old, new in zip(before, now)]
            pace = [stats.geometric_mean(one[1] for one in found) for found in (before, now)]
            ratios.append(stats.geometric_mean(by_seed))
            paces.append(pace[1] / pace[0])
            table.add(row.name, *(units.seconds(stats.median([one[0] for one in found])) for found in (before, now)),
                      f"{ratios[-1]:.3f}", " ".join(f"{ratio:.3f}" for ratio in by_seed), *(f"{one:.0f}" for one in pace))
    print(f"\nGeometric means: step times {stats.geometric_mean(ratios):.4f}, "
          f"evaluations per second of CPU time {stats.geometric_mean(paces):.3f}")


if __name__ == "__main__":
    cli.run(main)

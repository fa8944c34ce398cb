#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the policy that comes with berth is worth on graphs it never saw: by itself, and as a start of `auto` at equal evaluations.

policy_start.py BERTH [--policy default] [--evaluations 300 3000]    Prints the section `policy-start` of docs/results.md.

Budgets are numbers of plans, so that the table does not depend on the computer. Losses are printed as they are.
"""
from lib import cli, markdown, stats, units
from lib.results import OOM, step_of

# None is among the lessons of policies/default; of gpt2 and moe it saw no smaller sister either.
ROWS = (("zoo:rnnlm,layers=8", "k40x8"), ("zoo:nmt-4,attention=gnmt", "k40x4"), ("zoo:transformer-xl,layers=24", "k40x4"),
        ("zoo:inception-v3,batch=64", "k40x2"), ("zoo:wavenet,stacks=4,layers=36", "k40x4"), ("zoo:resnet-152", "k40x2"),
        ("zoo:gpt2", "a100-v100"), ("zoo:moe", "a100-v100"))
RIVALS = ("random", "metis", "scotch", "expert")
PROPOSALS = 65  # of the policy alone: the most likely plan and 64 samples


def times_of(flags, row):
    """Simple planners, the policy alone, then pairs of `auto` without and with it."""
    def place(*words):
        return step_of(flags.berth.ask("place", row[0], "--machine", row[1], *words, "--threads", 1, "--quiet"))

    policy = ("--policy", flags.policy)
    found = [place("--planner", name) for name in RIVALS]
    found.append(place(*policy, "--zero-shot", "--evaluations", PROPOSALS))
    for count in flags.evaluations:
        found.append(place("--planner", "auto", "--evaluations", count))
        found.append(place("--planner", "auto", *policy, "--evaluations", count))
    return found


def main():
    parser = cli.parser(__doc__)
    parser.add_argument("--policy", default="default")
    parser.add_argument("--evaluations", type=int, nargs="+", default=[300, 3000])
    flags = parser.parse_args()
    found = []
    print(f"`{cli.command(parser, flags)}`: milliseconds per step; the policy alone: {PROPOSALS} plans.\n")
    pairs = [cell for count in flags.evaluations for cell in (f"`auto`, {count:,} plans", "with the policy")]
    table = markdown.Printed(["row", *(f"`{name}`" for name in RIVALS), "policy alone", *pairs], "l" + "r" * (len(RIVALS) + 1 + len(pairs)))
    for row in ROWS:
        times = times_of(flags, row)
        found.append(times)
        table.add(f"{row[0].removeprefix('zoo:')} on {row[1]}", *map(units.milliseconds, times))
    print()
    for i, name in enumerate(RIVALS):
        print(f"- The policy alone is better than `{name}` on {sum(times[4] < times[i] for times in found)} of {len(found)} rows.")
    for i, count in enumerate(flags.evaluations):
        alone, started = [times[5 + 2 * i] for times in found], [times[6 + 2 * i] for times in found]
        ratios = [b / a for a, b in zip(alone, started) if a < OOM and b < OOM]
        print(f"- With {count:,} plans the start makes `auto` {stats.geometric_mean(ratios):.4f} of its time (geometric mean of {len(ratios)} rows): better on "
              f"{sum(ratio < 0.9999 for ratio in ratios)}, worse on {sum(ratio > 1.0001 for ratio in ratios)}.")


if __name__ == "__main__":
    cli.run(main)

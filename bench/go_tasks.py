#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""GO's three tasks: placement, schedule and fusion decided together by `go`, or one after the other, on one row of each family.

go_tasks.py BERTH [--budget 30 | --evaluations 4000] [--seeds 3] [--rows TEXT...]    Prints the section `papers-go-tasks` of docs/results.md.

`one after the other`: half of the budget for the placement, which is then pinned op by op; the other half for schedule and fusion. Beside
them what a framework does by default: the best single device, ops as they become ready, greedy fusion.
"""
import json
import pathlib
import tempfile

from lib import cli, markdown, stats, units
from lib.results import OOM, step_of
from papers.tables import go_rows

ALL = "placement+schedule+fusion"
WAYS = ("placement", "placement+schedule", ALL)
PUBLISHED = "the paper's gain over TensorFlow's default, all three together, is 33 to 60 %"


class Bench:
    def __init__(self, flags, folder):
        self.flags, self.folder = flags, pathlib.Path(folder)

    def budget(self, part):
        """A part of what a run has, as flags."""
        if self.flags.evaluations:
            return ("--evaluations", int(part * self.flags.evaluations))
        return ("--budget", f"{part * self.flags.budget}s")

    def place(self, row, *words):
        return step_of(self.flags.berth.ask("place", row.graph, "--machine", row.machine, *words, "--threads", 1, "--quiet"))

    def together(self, row, tasks, seed):
        return self.place(row, "--planner", "go", "--option", f"tasks={tasks}", "--seed", seed, *self.budget(1))

    def one_after_the_other(self, row, seed):
        plan, pins = self.folder / "plan.json", self.folder / "pins.toml"
        first = self.place(row, "--planner", "go", "--option", "tasks=placement", "--seed", seed, "-o", plan, *self.budget(0.5))
        if first == OOM:
            return first
        devices = [f"{op['name']}={op['device']}" for op in json.loads(plan.read_text())["ops"]]
        pins.write_text(f'format = "berth-constraints/1"\npin = {json.dumps(devices)}\n')
        return min(first, self.place(row, "--planner", "go", "--option", "tasks=schedule+fusion", "--constraints", pins, "--seed", seed,
                                     *self.budget(0.5)))

    def framework(self, row):
        plan = self.folder / "single.json"
        if self.place(row, "--planner", "gpu-only", "-o", plan) == OOM:
            return OOM
        return self.place(row, "--placement", plan, "--schedule", "fifo", "--fusion", "greedy")


def shown(values):
    middle = stats.median(values)
    return "OOM" if middle == OOM else units.spread(middle, min(values), max(values), units.milliseconds)


def mean(pairs):
    """Geometric mean of a / b over pairs of finite times, and how many there are."""
    ratios = [a / b for a, b in pairs if a < OOM and b < OOM]
    return stats.geometric_mean(ratios), len(ratios)


def main():
    parser = cli.parser(__doc__)
    parser.add_argument("--budget", type=float, default=30, help="seconds of a run (default 30)")
    parser.add_argument("--evaluations", type=int, default=0, help="plans of a run, instead of a time")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rows", nargs="+", default=[], help="families (default: all)")
    flags = parser.parse_args()
    rows = [go_rows.first_of(family) for family in go_rows.FAMILIES if not flags.rows or family in flags.rows]
    print(f"`{cli.command(parser, flags)}`: milliseconds per step, one core, "
          "median [least .. most]. One after the other: half of the budget for the placement, half for schedule and fusion with it. "
          "Framework: one GPU, ops as they become ready, greedy fusion.\n")
    table = markdown.Printed(["row", "framework", "placement", "placement, schedule", "all three together", "one after the other",
                              "together / framework"], "lrrrrrr")
    found, by_seed = [], [[] for _ in range(flags.seeds)]
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(flags, folder)
        for one in rows:
            seeds = range(1, flags.seeds + 1)
            default = bench.framework(one.row)
            ways = [[bench.together(one.row, tasks, seed) for seed in seeds] for tasks in WAYS]
            after = [bench.one_after_the_other(one.row, seed) for seed in seeds]
            best = stats.median(ways[-1])
            for pairs, pair in zip(by_seed, zip(ways[-1], after)):
                pairs.append(pair)
            found.append((default, best, stats.median(after), stats.median(ways[0])))
            ratio = f"{best / default:.3f}" if default < OOM else "-"
            table.add(f"{one.label} on {one.row.machine}", shown([default]), *map(shown, ways), shown(after), ratio)
    together, count = mean([(best, after) for _, best, after, _ in found])
    seeds = [mean(pairs)[0] for pairs in by_seed]
    print(f"\n- Together over one after the other: {together:.3f} by medians, geometric mean of {count} rows{': ahead' if together < 1 else ': behind'}; "
          f"seed by seed {', '.join(f'{ratio:.3f}' for ratio in seeds)}.")
    default, count = mean([(best, base) for base, best, _, _ in found])
    print(f"- Together over the framework's default: {default:.3f} on the {count} rows that fit on one GPU ({PUBLISHED}).")
    alone, count = mean([(best, only) for _, best, _, only in found])
    print(f"- Together over the placement alone: {alone:.3f}, {count} rows.")


if __name__ == "__main__":
    cli.run(main)

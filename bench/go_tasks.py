#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""GO's three tasks: placement, schedule and fusion decided together by `go`, or one after the other, on one row of each family.

go_tasks.py BERTH [--budget 30 | --evaluations 4000] [--seeds 3] [--rows TEXT...]    Prints the section `papers-go-tasks` of docs/results.md.

`one after the other`: half of the budget for the placement, which is then pinned op by op; the other half for schedule and fusion. Beside
them what a framework does by default: the best single device, ops as they become ready, greedy fusion.
"""
import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from papers_lib import go_rows  # noqa: E402

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
        done = subprocess.run([self.flags.berth, "place", row.graph, "--machine", row.machine, *map(str, words), "--threads", "1",
                               "--quiet", "--json"], capture_output=True, text=True)
        if done.returncode > 1:
            sys.exit(done.stderr.strip())
        answer = json.loads(done.stdout)
        return answer["step_time_s"] if answer["feasible"] else math.inf

    def together(self, row, tasks, seed):
        return self.place(row, "--planner", "go", "--option", f"tasks={tasks}", "--seed", seed, *self.budget(1))

    def one_after_the_other(self, row, seed):
        plan, pins = self.folder / "plan.json", self.folder / "pins.toml"
        first = self.place(row, "--planner", "go", "--option", "tasks=placement", "--seed", seed, "-o", plan, *self.budget(0.5))
        if math.isinf(first):
            return first
        devices = [f"{op['name']}={op['device']}" for op in json.loads(plan.read_text())["ops"]]
        pins.write_text(f'format = "berth-constraints/1"\npin = {json.dumps(devices)}\n')
        return min(first, self.place(row, "--planner", "go", "--option", "tasks=schedule+fusion", "--constraints", pins, "--seed", seed,
                                     *self.budget(0.5)))

    def framework(self, row):
        plan = self.folder / "single.json"
        if math.isinf(self.place(row, "--planner", "gpu-only", "-o", plan)):
            return math.inf
        return self.place(row, "--placement", plan, "--schedule", "fifo", "--fusion", "greedy")


def shown(values):
    if math.isinf(statistics.median(values)):
        return "OOM"
    middle = f"{1e3 * statistics.median(values):.1f}"
    return middle if len(values) == 1 else f"{middle} [{1e3 * min(values):.1f} .. {1e3 * max(values):.1f}]"


def mean(pairs):
    """Geometric mean of a / b over pairs of finite times, and how many there are."""
    ratios = [a / b for a, b in pairs if math.isfinite(a) and math.isfinite(b)]
    return (math.exp(statistics.fmean(map(math.log, ratios))) if ratios else math.nan), len(ratios)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth")
    parser.add_argument("--budget", type=float, default=30, help="seconds of a run (default 30)")
    parser.add_argument("--evaluations", type=int, default=0, help="plans of a run, instead of a time")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rows", nargs="+", default=[], help="families (default: all)")
    flags = parser.parse_args()
    rows = [go_rows.first_of(family) for family in go_rows.FAMILIES if not flags.rows or family in flags.rows]
    limit = f"--evaluations {flags.evaluations}" if flags.evaluations else f"--budget {flags.budget:g}"
    chosen = f" --rows {' '.join(flags.rows)}" if flags.rows else ""
    print(f"`bench/go_tasks.py build/release/berth {limit} --seeds {flags.seeds}{chosen}`: milliseconds per step, one core, "
          "median [least .. most]. One after the other: half of the budget for the placement, half for schedule and fusion with it. "
          "Framework: one GPU, ops as they become ready, greedy fusion.\n")
    print("| row | framework | placement | placement, schedule | all three together | one after the other | together / framework |")
    print("| --- | --: | --: | --: | --: | --: | --: |")
    found, by_seed = [], [[] for _ in range(flags.seeds)]
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(flags, folder)
        for one in rows:
            seeds = range(1, flags.seeds + 1)
            default = bench.framework(one.row)
            ways = [[bench.together(one.row, tasks, seed) for seed in seeds] for tasks in WAYS]
            after = [bench.one_after_the_other(one.row, seed) for seed in seeds]
            best = statistics.median(ways[-1])
            for pairs, pair in zip(by_seed, zip(ways[-1], after)):
                pairs.append(pair)
            found.append((default, best, statistics.median(after), statistics.median(ways[0])))
            ratio = f"{best / default:.3f}" if math.isfinite(default) else "-"
            print(f"| {one.label} on {one.row.machine} | {shown([default])} | {' | '.join(map(shown, ways))} | {shown(after)} | {ratio} |",
                  flush=True)
    together, count = mean([(best, after) for _, best, after, _ in found])
    seeds = [mean(pairs)[0] for pairs in by_seed]
    print(f"\n- Together over one after the other: {together:.3f} by medians, geometric mean of {count} rows{': ahead' if together < 1 else ': behind'}; "
          f"seed by seed {', '.join(f'{ratio:.3f}' for ratio in seeds)}.")
    default, count = mean([(best, base) for base, best, _, _ in found])
    print(f"- Together over the framework's default: {default:.3f} on the {count} rows that fit on one GPU ({PUBLISHED}).")
    alone, count = mean([(best, only) for _, best, _, only in found])
    print(f"- Together over the placement alone: {alone:.3f}, {count} rows.")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the policy that comes with berth is worth on graphs it never saw: by itself, and as a start of `auto` at equal evaluations.

policy_start.py BERTH [--policy default] [--evaluations 300 3000]    Prints the section `policy-start` of docs/results.md.

Budgets are numbers of plans, so that the table does not depend on the computer. Losses are printed as they are.
"""
import argparse
import json
import math
import statistics
import subprocess
import sys

# None is among the lessons of policies/default; of gpt2 and moe it saw no smaller sister either.
ROWS = (("zoo:rnnlm,layers=8", "k40x8"), ("zoo:nmt-4,attention=gnmt", "k40x4"), ("zoo:transformer-xl,layers=24", "k40x4"),
        ("zoo:inception-v3,batch=64", "k40x2"), ("zoo:wavenet,stacks=4,layers=36", "k40x4"), ("zoo:resnet-152", "k40x2"),
        ("zoo:gpt2", "a100-v100"), ("zoo:moe", "a100-v100"))
PROPOSALS = 65  # of the policy alone: the most likely plan and 64 samples


class Bench:
    def __init__(self, flags):
        self.flags = flags

    def place(self, row, *words):
        done = subprocess.run([self.flags.berth, "place", row[0], "--machine", row[1], *map(str, words), "--threads", "1", "--quiet",
                               "--json"], capture_output=True, text=True)
        if done.returncode > 1:
            sys.exit(done.stderr.strip())
        answer = json.loads(done.stdout)
        return answer["step_time_s"] if answer["feasible"] else math.inf

    def times(self, row):
        """Simple planners, the policy alone, then pairs of `auto` without and with it."""
        policy = ("--policy", self.flags.policy)
        found = [self.place(row, "--planner", name) for name in ("random", "metis", "scotch", "expert")]
        found.append(self.place(row, *policy, "--zero-shot", "--evaluations", PROPOSALS))
        for count in self.flags.evaluations:
            found.append(self.place(row, "--planner", "auto", "--evaluations", count))
            found.append(self.place(row, "--planner", "auto", *policy, "--evaluations", count))
        return found


def shown(seconds):
    return "OOM" if math.isinf(seconds) else f"{1e3 * seconds:.1f}"


def mean(ratios):
    return math.exp(statistics.fmean(map(math.log, ratios)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth")
    parser.add_argument("--policy", default="default")
    parser.add_argument("--evaluations", type=int, nargs="+", default=[300, 3000])
    flags = parser.parse_args()
    bench, found = Bench(flags), []
    pairs = " | ".join(f"`auto`, {count:,} plans | with the policy" for count in flags.evaluations)
    print(f"`bench/policy_start.py build/release/berth`: milliseconds per step; the policy alone: {PROPOSALS} plans.\n")
    print(f"| row | `random` | `metis` | `scotch` | `expert` | policy alone | {pairs} |")
    print("| --- |" + " --: |" * (5 + 2 * len(flags.evaluations)))
    for row in ROWS:
        times = bench.times(row)
        found.append(times)
        print(f"| {row[0].removeprefix('zoo:')} on {row[1]} | {' | '.join(map(shown, times))} |", flush=True)
    print()
    for i, name in enumerate(("random", "metis", "scotch", "expert")):
        print(f"- The policy alone is better than `{name}` on {sum(times[4] < times[i] for times in found)} of {len(found)} rows.")
    for i, count in enumerate(flags.evaluations):
        alone, started = [times[5 + 2 * i] for times in found], [times[6 + 2 * i] for times in found]
        ratios = [b / a for a, b in zip(alone, started) if math.isfinite(a) and math.isfinite(b)]
        print(f"- With {count:,} plans the start makes `auto` {mean(ratios):.4f} of its time (geometric mean of {len(ratios)} rows): better on "
              f"{sum(ratio < 0.9999 for ratio in ratios)}, worse on {sum(ratio > 1.0001 for ratio in ratios)}.")


if __name__ == "__main__":
    main()

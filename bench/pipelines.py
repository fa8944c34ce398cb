#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pipelines.py BERTH: training pipelines of three models on unequal machines against what people do without a planner, as a table in
Markdown. "best uniform" is the fastest of equal layers (kept or recomputed), equal parameters and equal work, each on all cards under 1f1b;
how much slower each is than the best pipeline stands behind its time. Exit code 1 if the best pipeline is slower anywhere, or not 10 % faster than the best uniform cut on half
of the rows. Deterministic but for the seconds."""
from lib import cli, markdown, paths

MODELS = ["zoo:gpt2", "zoo:bert-base", "zoo:llama-8b,mode=train,layers=8"]
MACHINES = ["a100-v100", "rtx4090-3060", str(paths.ROOT / "bench/machines/k40x4-x4.toml"), "2xhost"]
PLANNING_S = 10.0


def best_of(rows):
    return min((row["step_time_s"] for row in rows if row["feasible"]), default=None)


def cell(time, ours):
    return "OOM" if time is None else f"{time:.3g} s (+{100 * (time / ours - 1):.0f} %)"


def main():
    parser = cli.parser(__doc__)
    parser.add_argument("--microbatches", type=int, default=8)
    args = parser.parse_args()
    head = ["model", "machine", "step", "schedule", "stages", "bubble", "best uniform", "data parallel", "best single device", "planning"]
    print(f"`{cli.command(parser, args)}`\n")
    table = markdown.Printed(head, "llrlrrrrrr")
    gains, times = [], []
    for machine in MACHINES:
        for model in MODELS:
            answer = args.berth.ask("pipeline", model, "--machine", machine, "--microbatches", args.microbatches)
            best, others = answer["best"], answer["others"]
            uniform = best_of([row for row in others if row["stages"] > 1])
            ours = best["step_time_s"]
            gains.append(None if uniform is None else uniform / ours - 1)
            times.append(answer["search_s"])
            table.add(f"`{model}`", f"`{answer['machine']}`", f"{ours:.3g} s", best["schedule"], len(best["stages"]), f"{100 * best['bubble']:.0f} %",
                      cell(uniform, ours), cell(best_of([row for row in others if row["name"] == "data parallel"]), ours),
                      cell(best_of([row for row in others if row["name"].startswith("one device")]), ours), f"{answer['search_s']:.2f} s")
    compared = [gain for gain in gains if gain is not None]
    print()
    return markdown.print_bars([
        (f"never slower than the best uniform cut ({len(compared)} rows)", min(compared) >= 0),
        ("at least 10 % faster than it on half of the rows", sum(gain >= 0.1 for gain in compared) * 2 >= len(compared)),
        (f"planned in less than {PLANNING_S:.0f} s", max(times) < PLANNING_S)])


if __name__ == "__main__":
    cli.run(main)

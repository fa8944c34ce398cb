#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What HSDAG's paper left open, beside the tables of bench/papers/hsdag. Each prints a section of docs/results.md.

hsdag_checks.py BERTH coarsening     what every rule of grouping loses: proved optima with and without it
hsdag_checks.py BERTH variance       gradients and results over seeds, for REINFORCE, with a baseline, and PPO
hsdag_checks.py BERTH others         the same models in training, and language models
hsdag_checks.py BERTH fresh          graphs and seeds that no option was chosen by
hsdag_checks.py BERTH large          features and one step on 100,000 nodes; exit code 1 if a bar is missed

The first two need build/release/bench/hsdag_checks; others reads captured graphs from the folder BERTH_DATA, else ../shared/data.
"""
import json
import pathlib
import tempfile

from lib import berth, cli, markdown, paths, stats, units
from papers.tables.hsdag_table import SHARED, SHARED_ROWS

RESNET = SHARED_ROWS[1]
RULES = (("REINFORCE", ("baseline=none",)), ("with a baseline", ()), ("PPO", ("epochs=3", "ratio-clip=0.2")))
OTHERS = tuple((f"{name}, training", str(paths.captured(f"{file}.train")), SHARED)
               for name, file in (("inception-v3", "inception_v3"), ("resnet-50", "resnet50"), ("bert-base", "bert_base"))) + (
    ("llama-8b", "zoo:llama-8b", "a100x8"), ("gpt3-175b", "zoo:gpt3-175b", "h100x8"))
# Options were chosen by seeds 1 to 6 of the papers' rows.
FRESH_SEED = 101
FRESH = tuple((row.model, row.graph) for row in SHARED_ROWS) + tuple(
    (f"{name}, not seen", f"zoo:{name},mode=infer,batch=1") for name in ("gpt2", "amoebanet", "transformer-xl"))
WITHIN = 1.03
LARGE, LARGE_MACHINE = "zoo:nmt-8,unroll=58", "k40x8"
MOST_SECONDS, MOST_BYTES = 60.0, 4e9


def place(flags, graph, machine, planner, *words):
    return flags.berth.ask("place", graph, "--machine", machine, "--planner", planner, *words, "--threads", 1, "--quiet")


def train(flags, row, seed, options):
    with tempfile.TemporaryDirectory() as folder:
        words = [word for option in options for word in ("--option", option)]
        return flags.berth.ask("train", row.graph, "--machine", row.machine, "--planner", "hsdag", "--evaluations", flags.evaluations,
                               "--seed", seed, *words, "-o", f"{folder}/run", "--threads", 1, "--quiet")


def checks(flags, what, row, *words):
    """The program's answers; it reads graphs of the zoo and in JSON alone."""
    with tempfile.TemporaryDirectory() as folder:
        graph = row.graph
        if not graph.startswith("zoo:"):
            graph = f"{folder}/graph.json"
            flags.berth.run("graph", "convert", row.graph, "-o", graph, codes=(0,))
        done = berth.run([flags.checks, what, graph, row.machine, *words]).checked(codes=(0,))
    return [json.loads(line) for line in done.out.splitlines()]


class Times:
    """Of several seeds; OOM if one of them found no plan that fits."""

    def __init__(self, answers):
        self.fits = all(one["feasible"] for one in answers)
        self.median, self.shown = 0.0, "OOM"
        if not self.fits:
            return
        times = [one["step_time_s"] for one in answers]
        self.median = stats.median(times)
        self.shown = units.spread(self.median, min(times), max(times))


def coarsening(flags):
    print(f"`{flags.command}`: the optimum of one inference on `flex170-hetero-40us` (`mincut-exact`, proved) if all "
          "ops of a set must share a device, and what that loses against the optimum of the whole graph. METIS has a quarter as many parts as the "
          "paper's rule has sets, which is about what one round of parsing leaves.\n")
    lines, losses = [], {}
    for row in SHARED_ROWS:
        found = checks(flags, "coarsening", row)
        for one in found:
            loss = one["step_time_s"] / found[0]["step_time_s"] - 1
            losses.setdefault(one["rule"], []).append(loss)
            proved = "" if one["proved"] else " (not proved)"
            lines.append([row.model, one["rule"], f"{one['sets']:,}", units.seconds(one["step_time_s"]) + proved, f"{100 * loss:.2f} %"])
    print(markdown.table(["model", "rule", "sets", "optimum", "lost"], "llrrr", lines))
    worst = {rule: 100 * max(values) for rule, values in losses.items()}
    print(f"The paper's rule loses at most {worst['mutual']:.2f} %, that of the released code {worst['sole-parent']:.2f} %; one round of parsing by random "
          f"scores {worst['mutual, then random parsing']:.2f} %, METIS {worst['METIS']:.2f} %.")


def variance(flags):
    print(f"`{flags.command}`: {RESNET.model} on `flex170-hetero-40us`, without updates near the best plan. Gradients: "
          f"{flags.seeds} batches of 20 plans of one policy, untrained and after {flags.updates} updates; noise is the root mean square distance from their mean, "
          "as a share of its length, cosine that of two of them in the mean. "
          f"Results: best plan of {flags.evaluations:,} by `train`, {flags.seeds} seeds.\n")
    gradients = checks(flags, "gradients", RESNET, flags.seeds, flags.updates)
    lines = [["untrained" if one["after"] == 0 else f"after {one['after']} updates", "none" if one["baseline"] == "none" else "the other plans",
              f"{one['noise']:.2f}", f"{one['cosine']:.3f}"] for one in gradients]
    print(markdown.table(["policy", "baseline", "noise", "cosine"], "llrr", lines))
    lines = []
    for name, options in RULES:
        times = [1e3 * train(flags, RESNET, seed, ("near-best=0", *options))["step_time_s"] for seed in range(1, flags.seeds + 1)]
        lines.append([name, f"{stats.mean(times):.3f} ms", f"{stats.deviation(times):.3f} ms", f"{min(times):.3f} .. {max(times):.3f} ms"])
    print("\n" + markdown.table(["update", "mean", "deviation", "least .. most"], "lrrr", lines))


def others(flags):
    spread = f"{flags.seeds} seeds, median [least .. most]" if flags.seeds > 1 else "one seed"
    print(f"`{flags.command}`: {flags.evaluations:,} plans, {spread}. Training steps are captured ones on "
          "`flex170-hetero-40us`, where the optimum is known; the language models have eight GPUs and overlap, where it is not.\n")
    lines = []
    for name, graph, machine in OTHERS:
        gpu = place(flags, graph, machine, "gpu-only")
        rival = "mincut-exact" if machine == SHARED else "auto"
        seeds = range(1, flags.seeds + 1)
        mine = Times([place(flags, graph, machine, "hsdag", "--evaluations", flags.evaluations, "--seed", seed) for seed in seeds])
        best = Times([place(flags, graph, machine, rival)] if machine == SHARED else
                     [place(flags, graph, machine, rival, "--evaluations", flags.evaluations, "--seed", seed) for seed in seeds])
        lines.append([name, pathlib.Path(machine).stem, f"{gpu['ops']:,}", Times([gpu]).shown, mine.shown, f"{best.shown} (`{rival}`)",
                      units.ratio(mine.median / best.median) if mine.fits and best.fits else "-"])
        cli.say(f"{name}: done")
    print(markdown.table(["model", "machine", "ops", "one GPU", "HSDAG", "beside it", "ratio"], "llrrrrr", lines))


def fresh(flags):
    last = FRESH_SEED + flags.seeds - 1
    print(f"`{flags.command}`: {flags.evaluations:,} plans of one inference on `flex170-hetero-40us`, seeds {FRESH_SEED} to "
          f"{last}, of which none was looked at while options were chosen, nor was any graph that is called not seen. Ratios to the proved optimum.\n")
    lines, near, runs = [], 0, 0
    for name, graph in FRESH:
        best = place(flags, graph, SHARED, "mincut-exact")
        gpu = place(flags, graph, SHARED, "gpu-only")
        found = [place(flags, graph, SHARED, "hsdag", "--evaluations", flags.evaluations, "--seed", seed) for seed in range(FRESH_SEED, last + 1)]
        over = sorted(one["step_time_s"] / best["step_time_s"] for one in found)
        close = sum(ratio <= WITHIN for ratio in over)
        near, runs = near + close, runs + len(over)
        lines.append([name, f"{best['ops']:,}", units.ratio(gpu["step_time_s"] / best["step_time_s"]), units.ratio(stats.median(over)),
                      f"{units.ratio(over[0])} .. {units.ratio(over[-1])}", f"{close} of {len(over)}"])
        cli.say(f"{name}: done")
    print(markdown.table(["model", "ops", "one GPU", "HSDAG, median", "least .. most", "within 3 %"], "lrrrrr", lines))
    print(f"{near} of {runs} runs are within 3 % of the optimum.")


def large(flags):
    options = ["coarsening=none", "placements=1", "epochs=1"]
    with tempfile.TemporaryDirectory() as folder:
        words = [word for option in options for word in ("--option", option)]
        done = flags.berth.run("train", LARGE, "--machine", LARGE_MACHINE, "--planner", "hsdag", "--updates", 1, *words, "-o", f"{folder}/run",
                               "--threads", 1, "--quiet", "--json")
    ops, seconds, most = done.json()["ops"], done.cpu_s, done.peak_bytes
    print(f"`{LARGE}` on `{LARGE_MACHINE}`, {', '.join(options)}: {ops:,} nodes, features, one plan and its gradients in {seconds:.1f} s of a core and "
          f"{most / 1e9:.2f} GB.")
    holds = ops >= 100_000 and seconds < MOST_SECONDS and most < MOST_BYTES
    return markdown.print_bars([(f"100,000 nodes in less than {MOST_SECONDS:.0f} s and {MOST_BYTES / 1e9:.0f} GB.", holds)])


SECTIONS = {"coarsening": coarsening, "variance": variance, "others": others, "fresh": fresh, "large": large}


def main():
    parser = cli.parser(__doc__)
    parser.add_argument("what", choices=SECTIONS)
    parser.add_argument("--checks", default=paths.ROOT / "build" / "release" / "bench" / "hsdag_checks", help="the program of that name")
    parser.add_argument("--evaluations", type=int, default=400, help="plans of a run (default 400)")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--updates", type=int, default=10, help="before the second look at gradients (default 10)")
    flags = parser.parse_args()
    flags.command = cli.command(parser, flags, without=("checks",))
    return SECTIONS[flags.what](flags)


if __name__ == "__main__":
    cli.run(main)

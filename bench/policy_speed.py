#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast `hierarchical` learns on large graphs, and where the time goes.

policy_speed.py BERTH [--budget 30s | --updates N] [--threads 2]     Markdown table, then PASS or FAIL per bar; exit code 1 if one is missed

Bar: one update a second with 4 evaluated plans each, preset `default`, on zoo:nmt-8 (over 80,000 ops) and on its 100,000-op sister.
Phases come from the metrics of the run: sampling (with the start of the measurements), what is prepared meanwhile, waiting for
measurements, gradients, the step of the optimiser; the first update, which warms up, is left out.
"""
import pathlib
import tempfile

from lib import cli, markdown, metrics, stats, units

GRAPHS = ["zoo:nmt-8", "zoo:nmt-8,unroll=58"]  # 87,410 and 101,378 ops
MACHINE = "k40x8"
PLACEMENTS = 4
BAR = 1.0  # updates a second
PHASES = {"sample_s": "sample", "prepare_s": "prepare", "wait_s": "wait", "gradient_s": "gradients", "step_s": "step"}


def length_of_run(flags):
    return ["--updates", flags.updates] if flags.updates else ["--budget", flags.budget]


def train(flags, graph, folder):
    """Metrics of a run, its answer, and the peak of its memory."""
    run = pathlib.Path(folder) / "run"
    done = flags.berth.run("train", graph, "--machine", flags.machine, "--planner", "hierarchical", "--option", f"placements={PLACEMENTS}",
                           "--option", "groupings=1", *length_of_run(flags), "--threads", flags.threads, "-o", run, "--quiet", "--json")
    return metrics.updates(run), done.json(), done.peak_bytes


def rate_of(updates):
    """Updates a second behind the first."""
    if len(updates) < 2:
        return 0.0
    return (len(updates) - 1) / (updates[-1]["elapsed_s"] - updates[0]["elapsed_s"])


def phases_of(updates):
    """Mean milliseconds of every phase of an update, what is in none of them last."""
    later = updates[1:]
    if not later:
        return [0.0] * (len(PHASES) + 1)
    means = [1000 * stats.mean(update.get(phase, 0.0) for update in later) for phase in PHASES]
    return [*means, 1000 / rate_of(updates) - sum(means)]


def measure(flags, graph, table):
    """Adds the row of one graph; its bar."""
    with tempfile.TemporaryDirectory() as folder:
        updates, outcome, peak = train(flags, graph, folder)
    rate = rate_of(updates)
    plans = (updates[-1]["evaluations"] - updates[0]["evaluations"]) / (len(updates) - 1) if len(updates) > 1 else 0
    table.add(f"`{graph}`", f"{outcome.get('ops') or 0:,}", f"{rate:.2f}", f"{plans:g}", *(f"{ms:.0f}" for ms in phases_of(updates)),
              units.megabytes(peak))
    return f"{graph}: {rate:.2f} updates a second with {plans:g} evaluated plans each (asked: {BAR:g} with {PLACEMENTS})", \
        rate >= BAR and plans >= PLACEMENTS


def main():
    parser = cli.parser(__doc__)
    parser.add_argument("--budget", default="30s", help="of a run (default 30s)")
    parser.add_argument("--updates", type=int, help="of a run, in place of a budget")
    parser.add_argument("--threads", type=int, default=2, help="default 2")
    parser.add_argument("--graphs", nargs="+", default=GRAPHS, help=f"default: {' '.join(GRAPHS)}")
    parser.add_argument("--machine", default=MACHINE, help=f"default {MACHINE}")
    flags = parser.parse_args()
    print(f"`{cli.command(parser, flags)}`: `hierarchical`, preset `default` with {PLACEMENTS} plans an update, on "
          f"`{flags.machine}`, {flags.threads} threads, {f'{flags.updates} updates' if flags.updates else flags.budget} a run. Milliseconds of an update by phase: "
          "plans are measured in the background while the policy prepares its gradients, so `wait` is what the "
          "simulator costs beyond that.\n")
    head = ["graph", "ops", "updates/s", "plans each", *(f"{name}, ms" for name in PHASES.values()), "other, ms", "peak memory"]
    table = markdown.Printed(head, "l" + "r" * (len(head) - 1))
    bars = [measure(flags, graph, table) for graph in flags.graphs]
    print()
    return markdown.print_bars(bars)


if __name__ == "__main__":
    cli.run(main)

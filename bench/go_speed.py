#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long an update of `go` takes that decides on every unit of a large graph, and how much memory.

go_speed.py BERTH [--threads 2] [--updates 3]     Markdown table, then PASS or FAIL per bar; exit code 1 if one is missed

Bars: zoo:nmt-8 (87,410 ops) takes at most 60 s an update, sampling, simulation and all epochs of PPO included, and 4 GB; time
per op is the same on a graph twice as large, within 30 %. The first update, which warms up, is left out.
"""
import pathlib
import tempfile

from lib import cli, markdown, metrics, stats, units

GRAPHS = ["zoo:nmt-2", "zoo:nmt-4", "zoo:nmt-8"]
MACHINE = "k40x8"
SECONDS, BYTES, GROWTH = 60.0, 4e9, 1.3
PHASES = {"sample_s": "sample", "prepare_s": "prepare", "wait_s": "wait", "gradient_s": "gradients", "step_s": "further epochs"}


def train(flags, graph, folder):
    """Metrics of a run, its answer, and the peak of its memory."""
    run = pathlib.Path(folder) / "run"
    done = flags.berth.run("train", graph, "--machine", flags.machine, "--planner", "go", "--option", "nodes=0",
                           *(part for option in flags.option for part in ("--option", option)), "--updates", flags.updates,
                           "--policy-device", flags.policy_device, "--threads", flags.threads, "-o", run, "--quiet", "--json")
    return metrics.updates(run), done.json(), done.peak_bytes


def measure(flags, graph, table):
    """Adds the row of one graph; its ops, seconds an update and bytes."""
    with tempfile.TemporaryDirectory() as folder:
        updates, outcome, peak = train(flags, graph, folder)
    later = updates[1:]
    seconds = (updates[-1]["elapsed_s"] - updates[0]["elapsed_s"]) / len(later)
    phases = [stats.mean(update.get(phase, 0.0) for update in later) for phase in PHASES]
    ops = outcome.get("ops") or 0
    table.add(f"`{graph}`", f"{ops:,}", f"{seconds:.2f}", f"{1e6 * seconds / ops:.1f}", *(f"{phase:.2f}" for phase in phases),
              units.megabytes(peak))
    return ops, seconds, peak


def main():
    parser = cli.parser(__doc__)
    parser.add_argument("--threads", type=int, default=2, help="default 2")
    parser.add_argument("--updates", type=int, default=3, help="of a run, at least 2 (default 3)")
    parser.add_argument("--graphs", nargs="+", default=GRAPHS, help=f"the largest last (default: {' '.join(GRAPHS)})")
    parser.add_argument("--machine", default=MACHINE, help=f"default {MACHINE}")
    parser.add_argument("--option", action="append", default=[], help="of go, as in NAME=VALUE; any number of times")
    parser.add_argument("--policy-device", default="cpu", help="default cpu")
    flags = parser.parse_args()
    if flags.updates < 2:
        parser.error("--updates: the first is left out; at least 2 are needed")
    print(f"`{cli.command(parser, flags)}`: `go`, preset `default` with `nodes=0`, on `{flags.machine}`, {flags.threads} threads, "
          f"policy on {flags.policy_device}. Seconds of an update, by phase.\n")
    head = ["graph", "ops", "s/update", "us/op", *(f"{name}, s" for name in PHASES.values()), "peak memory"]
    table = markdown.Printed(head, "l" + "r" * (len(head) - 1))
    rows = [measure(flags, graph, table) for graph in flags.graphs]
    print()
    ops, seconds, peak = rows[-1]
    bars = [(f"{flags.graphs[-1]}: {seconds:.1f} s an update (at most {SECONDS:g})", seconds <= SECONDS),
            (f"{flags.graphs[-1]}: {peak / 1e9:.2f} GB (at most {BYTES / 1e9:g})", peak <= BYTES)]
    for (few, before, _), (many, after, _), graph in zip(rows, rows[1:], flags.graphs[1:]):
        growth = (after / many) / (before / few)
        bars.append((f"{graph}: {growth:.2f} times the time per op of the graph before it (at most {GROWTH:g})", growth <= GROWTH))
    return markdown.print_bars(bars)


if __name__ == "__main__":
    cli.run(main)

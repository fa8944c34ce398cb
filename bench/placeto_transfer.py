#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether `placeto` improves a random start, trained there and trained elsewhere.

placeto_transfer.py BERTH [--budget 60s] [--train 60s] [--seeds 3] [--threads 2]     Markdown table, then PASS or FAIL per bar

For each of the six rows of the papers' tables: a random start; what `placeto` makes of the row from scratch in --budget; and what one
sweep over its groups (one plan per group, no learning) makes of the same start with a policy that was trained for --train on other
families of models alone; beside it the best single device. Bars: from scratch better than the start on every row; so is the first sweep
of the trained policy, with every seed.
"""
import dataclasses
import pathlib
import tempfile

from lib import cli, markdown
from lib.results import OOM, step_of

CONVOLUTIONS, RECURRENT, TRANSLATION = "convolutions", "rnnlm", "nmt"


@dataclasses.dataclass(frozen=True)
class Row:
    family: str
    graph: str
    machine: str

    @property
    def name(self):
        return f"{self.graph.removeprefix('zoo:')} on {self.machine}"


ROWS = [
    Row(CONVOLUTIONS, "zoo:inception-v3", "k40x2"),
    Row(CONVOLUTIONS, "zoo:resnet-152", "k40x2"),
    Row(RECURRENT, "zoo:rnnlm", "k40x2"),
    Row(TRANSLATION, "zoo:nmt-2", "k40x2"),
    Row(TRANSLATION, "zoo:nmt-4", "k40x4"),
    Row(TRANSLATION, "zoo:nmt-8", "k40x8"),
]
# One small graph of every family, to learn from where the row is of another one.
LESSONS = {
    CONVOLUTIONS: "zoo:inception-v3",
    RECURRENT: "zoo:rnnlm,unroll=10",
    TRANSLATION: "zoo:nmt-2,unroll=10",
}
MACHINES = ["k40x2", "k40x4"]  # to learn on
GROUPS = 64


def train(flags, folder, family):
    """A policy that has never seen that family."""
    run = pathlib.Path(folder) / family
    graphs = [graph for other, graph in LESSONS.items() if other != family]
    machines = [word for machine in MACHINES for word in ("--machine", machine)]
    flags.berth.ask("train", *graphs, *machines, "--planner", "placeto", "--option", f"groups={GROUPS}", "--budget", flags.train,
                    "--threads", flags.threads, "-o", run, "--quiet")
    return run


def place(flags, row, *words):
    """Seconds of a step."""
    return step_of(flags.berth.ask("place", row.graph, "--machine", row.machine, "--threads", flags.threads, "--quiet", *words))


def shown(seconds):
    return ", ".join("OOM" if each == OOM else f"{each:.4g}" for each in seconds)


def sweep(flags, row, run, seed):
    """Start, and best plan of one sweep from there."""
    return tuple(place(flags, row, "--policy", run, "--zero-shot", "--seed", seed, "--evaluations", count) for count in (1, 1 + GROUPS))


def measure(flags, row, trained, table):
    """Adds a row of the table; how many starts the sweep improved, and whether learning from scratch beats them all."""
    starts, swept = zip(*(sweep(flags, row, trained, seed) for seed in range(1, flags.seeds + 1)))
    single = place(flags, row, "--planner", "single")
    scratch = place(flags, row, "--planner", "placeto", "--budget", flags.budget)
    table.add(row.name, shown([single]), shown(starts), shown(swept), shown([scratch]))
    return sum(after < start for start, after in zip(starts, swept)), scratch < min(starts)


def main():
    parser = cli.parser(__doc__)
    parser.add_argument("--budget", default="60s", help="from scratch, for every row (default 60s)")
    parser.add_argument("--train", default="60s", help="of each of the three policies (default 60s)")
    parser.add_argument("--seeds", type=int, default=3, help="random starts for every row (default 3)")
    parser.add_argument("--threads", type=int, default=2, help="default 2")
    parser.add_argument("--rows", nargs="+", default=[], help="graphs to look at, such as zoo:rnnlm (default: all six)")
    flags = parser.parse_args()
    rows = [row for row in ROWS if not flags.rows or row.graph in flags.rows]
    print(f"`{cli.command(parser, flags)}`: seconds per "
          f"step. First sweep: the best of {1 + GROUPS} plans, the start included, with a policy trained {flags.train} on other "
          f"families; one number per start. From scratch: `--planner placeto --budget {flags.budget}`.\n")
    table = markdown.Printed(["row", "best single device", "random starts", "first sweep, trained elsewhere", "from scratch"], "lrrrr")
    with tempfile.TemporaryDirectory() as folder:
        policies = {family: train(flags, folder, family) for family in dict.fromkeys(row.family for row in rows)}
        found = [measure(flags, row, policies[row.family], table) for row in rows]
    improved, starts = sum(count for count, _ in found), flags.seeds * len(rows)
    beaten = sum(better for _, better in found)
    bars = [
        (f"the first sweep over an unseen family improved {improved} of {starts} random starts", improved == starts),
        (f"from scratch better than all random starts on {beaten} of {len(rows)} rows", beaten == len(rows)),
    ]
    print()
    return markdown.print_bars(bars)


if __name__ == "__main__":
    cli.run(main)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a simulation costs: the tables of bench/README.md, from the programs simulator_bench and moves_bench.

engine.py simulator [--runs 3]    the run with the least time of each row counts
engine.py moves [--runs 5]        medians of the runs; two figures stand for equal priorities and for the longest way to the end

bench/engine.py simulator | bench/put_section.py simulator bench/README.md

Runs are interleaved: all rows, then all rows again. On a busy machine run it under `chrt -f 50 taskset -c 1`, as root.
"""
import math

from lib import berth, cli, markdown, paths, stats

SIMULATOR = "(simulate|priorities)/(nmt4|nmt8)/|(simulate|priorities)/(fifty-thousand|million)/(expert|random)"


def measured(program, runs, only):
    """Name of a row to its runs, each with the counters of the program."""
    found = {}
    for _ in range(runs):
        command = [program, f"--benchmark_filter={only}", "--benchmark_format=json"]
        for one in berth.run(command).checked(codes=(0,)).json()["benchmarks"]:
            found.setdefault(one["name"].partition("/iterations:")[0], []).append(one)
    return found


def title(label):
    """"captured/nmt4.train.json.gz k40x4" -> "captured nmt4, `k40x4`"."""
    graph, machine = label.split()
    shown = f"captured {graph.split('/')[1].split('.')[0]}" if graph.startswith("captured/") else f"`{graph}`"
    return f"{shown}, `{machine}`"


def two_digits(value):
    """Two significant digits without an exponent."""
    return f"{round(value, 1 - math.floor(math.log10(value))):g}"


def simulator(flags):
    table = markdown.Printed(["graph, machine", "plan", "ops", "transfers", "one simulation", "times the bare pass", "ns per event", "times with priorities"],
                             "llrrrrrr")
    last = ""
    found = measured(flags.programs / "simulator_bench", flags.runs or 3, flags.only or SIMULATOR)
    for name in (name for name in found if name.startswith("simulate/")):
        runs, with_priorities = found[name], found.get(name.replace("simulate/", "priorities/"))
        best = min(runs, key=lambda one: one["ms"])
        same, last = best["label"] == last, best["label"]
        table.add("" if same else title(best["label"]), name.split("/")[2], "" if same else f"{best['ops']:,.0f}", f"{best['crossings']:,.0f}",
                  f"{two_digits(best['ms'])} ms", f"{best['times_bare']:.0f}", f"{best['ns_per_event']:.0f}",
                  f"{stats.median(one['times_without'] for one in with_priorities):.2f}" if with_priorities else "")


def moves(flags):
    found = measured(flags.programs / "moves_bench", flags.runs or 5, flags.only or "moves/")
    table = markdown.Printed(["graph, machine", "most ops moved", "beyond the cutoff", "events near / full", "time full / near", "time full / bounded"],
                             "lrrrrr")
    last = ""
    for name in (name for name in found if not name.endswith("/priorities")):
        pair = [found[name], found[f"{name}/priorities"]]
        figures = [", ".join(f"{stats.median(one[counter] for one in runs):.{digits}f}" for runs in pair)
                   for counter, digits in (("rejected", 2), ("events", 2), ("near_x", 1), ("bounded_x", 1))]
        label = pair[0][0]["label"]
        table.add("" if label == last else title(label), name.split("/")[2], *figures)
        last = label


TABLES = {"simulator": simulator, "moves": moves}


def main():
    parser = cli.parser(__doc__, berth=False)
    parser.add_argument("what", choices=TABLES)
    parser.add_argument("--runs", type=int, default=0, help="default 3 and 5")
    parser.add_argument("--only", help="rows, as --benchmark_filter takes them")
    parser.add_argument("--programs", type=type(paths.ROOT), default=paths.BERTH.parent / "bench", help="folder; default build/release/bench")
    flags = parser.parse_args()
    TABLES[flags.what](flags)


if __name__ == "__main__":
    cli.run(main)

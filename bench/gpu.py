#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Batches of plans on a GPU: whether they say what the processor says, how fast they are, and whether compute-sanitizer finds fault.

gpu.py CUDA_BENCH [--only equal,speed,sanitizer] [--plans 13000]     tables, then PASS or FAIL per bar; exit code 1 if one is missed

Four minutes on one H200 with 16 cores beside it; what was measured there is in docs/simulator.md. Nothing is fetched.
Captured graphs are read from the folder BERTH_DATA, else ../shared/data from the project's root, and left out where missing.

Bars: no plan differs, on four graphs and four machines (one hop; three hops; buses and a pool; all of these with lanes and half duplex);
at least 100,000 plans a second on captured nmt4 and 1,000,000 on bert_base, each also 100 times the engine on one core, and 20,000 on nmt8;
ranked plans at least a third as fast as plans without ranks; compute-sanitizer finds no error.
"""
import pathlib
import shutil

from lib import berth, cli, markdown, paths

ODD = str(paths.ROOT / "bench" / "machines" / "odd.toml")
GRAPHS = ["zoo:rnnlm", "zoo:inception-v3", "zoo:bert-base", "zoo:nmt-2"]
MACHINES = ["k40x4", "2xhost", "core-ultra", ODD]
PARTS = ["equal", "speed", "sanitizer"]
TINY = "zoo:rnnlm,batch=2,unroll=2,hidden=8,vocab=50"
SPEED = {  # captured graph: machine, the plans a second that are asked for, rows
    "bert_base.train": ("k40x4", 1_000_000, ["plans=16384,moved=50", "plans=65536,moved=50", "plans=65536,moved=50,near=1", "plans=65536"]),
    "nmt4.train": ("k40x4", 100_000, [
        "plans=16384,moved=50", "plans=65536,moved=50", "plans=16384,moved=50,near=1", "plans=65536,moved=50,near=1",
        "plans=65536,moved=5", "plans=65536,moved=5,near=1", "plans=16384", "plans=16384,moved=50,ranks=shared", "plans=16384,moved=50,ranks=ties",
        "plans=16384,moved=50,ranks=shared,near=1", "plans=16384,moved=50,ranks=own", "plans=16384,moved=50,ranks=whole"]),
    "nmt8.train": ("k40x8", 20_000, ["plans=16384,moved=50", "plans=16384,moved=50,near=1", "plans=16384,moved=5,near=1"]),
}
TIMES_FROM = 100_000  # plans a second that are asked for: from here on so many times the engine, too
UNRANKED = "plans=16384,moved=50"


def read_rows(text):
    """What cuda_bench prints: a dictionary of words for every line that is a row."""
    lines = [dict(word.split("=", 1) for word in split_words(line)) for line in text.splitlines() if line.startswith("row=")]
    return [{name: value if name == "row" else float(value) for name, value in line.items()} for line in lines]


def split_words(line):
    return [word for word in line.split(" ") if "=" in word]


def measure(flags, graph, machine, rows, before=()):
    """The rows of one problem. A plan that differs is in its row, so exit code 1 is an answer, too."""
    done = berth.run([*before, flags.program, graph, machine, *rows]).checked(codes=(0, 1))
    found = read_rows(done.out)
    if len(found) != len(rows):
        raise berth.Failed(f"{graph} on {machine}: {len(rows)} rows asked for, {len(found)} came: {done.errors.strip()}")
    return found


def machine_name(machine):
    return pathlib.Path(machine).stem


def equal_rows(plans):
    """All ways that plans take, in the shares that the time for it allows: anywhere, near a base, ranks of all and of each."""
    def row(share, words):
        count = max(32, plans * share // 13)
        return f"plans={count},checked={count},repeats=1{words}"
    return [row(4, ""), row(3, ",moved=50,near=1"), row(3, ",moved=20,ranks=ties,near=1"), row(1, ",moved=20,ranks=shared"),
            row(1, ",moved=5,ranks=own"), row(1, ",moved=5,ranks=whole")]


def equal(flags):
    table = markdown.Printed(["graph", "machine", "ops", "plans", "differ", "outgrew their room"], "llrrrr")
    for graph in GRAPHS:
        for machine in MACHINES:
            rows = measure(flags, graph, machine, equal_rows(flags.plans))
            words = [sum(int(part.split("=")[1]) for part in row["row"].split(",") if part.startswith("plans=")) for row in rows]
            wrong, failed = sum(row["wrong"] for row in rows), sum(row["failed"] for row in rows)
            table.add(f"`{graph}`", f"`{machine_name(machine)}`", f"{rows[0]['ops']:,.0f}", f"{sum(words):,}", f"{wrong:.0f}", f"{failed:.0f}")
            yield f"{graph} on {machine_name(machine)}: no plan differs", wrong == 0


def speed(flags):
    table = markdown.Printed(["graph, machine", "row", "plans/s", "times the engine", "engine", "upload", "ranks", "prepare", "all", "saved", "failed"],
                             "llrrrrrrrrr")
    for name, (machine, wanted, rows) in SPEED.items():
        if not paths.captured(name).exists():
            cli.say(f"no {paths.captured(name).name} in the data folder (BERTH_DATA)")
            continue
        found = measure(flags, f"captured/{name}.json.gz", machine, [f"{row},checked=64" for row in rows])
        for row, one in zip(rows, found):
            milliseconds = [f"{one[part]:.1f} ms" for part in ("upload_ms", "rank_ms", "prepare_ms", "all_ms")]
            table.add(f"captured {name}, `{machine}`", f"`{row}`", f"{one['plans_per_s']:,.0f}", f"{one['times_engine']:.0f}", f"{one['engine_ms']:.2f} ms",
                      *milliseconds, f"{one['saved']:.0%}", f"{one['failed']:.0f}")
        yield from speed_bars(name, wanted, dict(zip(rows, found)))


def speed_bars(name, wanted, found):
    """By the row: what a graph must reach with 1 to 50 groups moved and no ranks, and what ranked plans must."""
    plain = [one for row, one in found.items() if "moved=50" in row and "ranks" not in row]
    fastest = max(plain, key=lambda one: one["plans_per_s"])
    yield f"{name}: {wanted:,} plans a second", fastest["plans_per_s"] >= wanted
    if wanted >= TIMES_FROM:
        yield f"{name}: 100 times the engine on one core", fastest["times_engine"] >= 100
    yield f"{name}: no plan differs", all(one["wrong"] == 0 for one in found.values())
    for row, one in found.items():
        if "ranks" in row and UNRANKED in found:
            yield f"{name}: {row} at least a third as fast as without ranks", one["plans_per_s"] * 3 >= found[UNRANKED]["plans_per_s"]


def sanitizer(flags):
    program = shutil.which("compute-sanitizer")
    if program is None:
        cli.say("compute-sanitizer is not on the path; it comes with the CUDA toolkit")
        yield "compute-sanitizer is there", False
        return
    rows = [f"plans=64,checked=64,repeats=1{more}" for more in ("", ",moved=5,near=1", ",moved=5,ranks=ties,near=1", ",moved=5,ranks=own", ",ranks=whole")]
    for tool in ("memcheck", "racecheck", "synccheck"):
        done = berth.run([program, f"--tool={tool}", "--error-exitcode=3", flags.program, TINY, ODD, *rows])
        if done.code != 0:
            cli.say(done.out.strip()[-2000:] or done.errors.strip()[-2000:])
        yield f"compute-sanitizer --tool={tool} finds no error", done.code == 0


def main():
    parser = cli.parser(__doc__, berth=False)
    parser.add_argument("program", type=lambda path: str(pathlib.Path(path).resolve()), help="cuda_bench")
    parser.add_argument("--only", default=",".join(PARTS), help="parts, with commas between them (default: all)")
    parser.add_argument("--plans", type=int, default=13000, help="that are compared per graph and machine (default 13000)")
    flags = parser.parse_args()
    bars = []
    for part in flags.only.split(","):
        if part not in PARTS:
            raise berth.Failed(f"no part '{part}'; there are {', '.join(PARTS)}")
        bars += globals()[part](flags)
        print(flush=True)
    return markdown.print_bars(bars)


if __name__ == "__main__":
    cli.run(main)

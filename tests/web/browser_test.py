#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The report in a real browser. Usage: browser_test.py BERTH FOLDER. FOLDER keeps reports and screenshots.

Exits with 77, which ctest counts as skipped, only where Chromium, Node or npm cannot be had; it says which."""
import pathlib
import subprocess
import sys

import block_graphs
import browser_tools

GRAPH = ["zoo:nmt-4,unroll=53", "--machine", "k40x4"]  # 50,000 ops
MOST_BYTES = 15_000_000


def berth(program, *args):
    subprocess.run([program, *map(str, args)], check=True, stdout=subprocess.DEVNULL)


def make_reports(program, folder):
    """A report of one plan, and one of two."""
    big, two, auto, expert = (folder / name for name in ("big.html", "two.html", "auto.json", "expert.json"))
    berth(program, "place", *GRAPH, "--evaluations", 40, "-o", auto, "--report", big, "--quiet")
    berth(program, "place", *GRAPH, "--planner", "expert", "-o", expert, "--quiet")
    berth(program, "report", *GRAPH, "--plan", auto, "--plan", expert, "-o", two)
    for path in (big, two):
        size = path.stat().st_size
        print(f"{path.name}: {size / 1e6:.2f} MB", flush=True)
        assert size < MOST_BYTES, f"{path.name} has {size} bytes"
    return big, two


def make_looks(program, folder):
    """What looks_test.mjs looks at."""
    plan = folder / "looks.json"
    two = ["--machine", "rtx4090-3060"]
    for name in ("named", "flat"):
        graph = block_graphs.write(folder / f"{name}.json", name == "named")
        berth(program, "place", graph, *two, "--planner", "round-robin", "-o", plan, "--report", folder / f"{name}.html", "--quiet")
    stages = [folder / "named.json", *two, "--objective", "pipeline"]
    plans = [folder / f"stages-{planner}.json" for planner in ("dp", "round-robin")]
    for planner, path in zip(("dp", "round-robin"), plans):
        berth(program, "place", *stages, "--planner", planner, "-o", path, "--quiet")
    berth(program, "report", *stages, "--plan", plans[0], "--plan", plans[1], "-o", folder / "pipeline.html")
    nine = ["zoo:nmt-8,unroll=6", "--machine", "v100x8"]
    berth(program, "place", *nine, "--planner", "round-robin", "--report", folder / "nine.html", "--quiet")
    small = ["--set", "gpu.memory=8MiB"]
    berth(program, "report", graph, *two, *small, "--plan", plan, "-o", folder / "oom.html")


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    out = folder / "screenshots"
    out.mkdir(parents=True, exist_ok=True)
    try:
        browser_tools.chromium()
        browser_tools.driver(folder)
        big, two = make_reports(program, folder)
        make_looks(program, folder)
        codes = [browser_tools.run("report_test.mjs", folder, big, two, out).returncode,
                 browser_tools.run("looks_test.mjs", folder, folder, out).returncode]
        sys.exit(1 if any(codes) else 0)
    except browser_tools.Missing as missing:
        print(f"skipped: {missing}")
        sys.exit(77)


if __name__ == "__main__":
    main()

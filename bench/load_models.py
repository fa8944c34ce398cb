#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models of frameworks from file to plan: how long it takes in all, and how much memory.

load_models.py BERTH [--runs 3]     Markdown table, then PASS or FAIL per bar; exit code 1 if one is missed

Bars: `berth place bert_base.onnx --machine h200 --budget 1s` takes less than 2 s in all; a .pt2 file of 6,000 nodes loads (`graph
convert`) in less than 1 s; an ONNX file of 2 GB with its weights inside loads in less than 500 MB. The quickest of the runs counts.
bert_base.onnx is read from the folder BERTH_DATA, else ../shared/data from the project's root; where it is missing its bar is
missed. The other files are written by this program.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "app"))
from large_models import exported_chain, write_sparse_onnx  # noqa: E402

BERT = pathlib.Path(os.environ.get("BERTH_DATA", ROOT.parent / "shared" / "data")) / "exported" / "bert_base.onnx"
PLACE_SECONDS, LOAD_SECONDS, MOST_BYTES = 2.0, 1.0, 500e6
NODES = 6000


def run(command):
    """Seconds and peak bytes of one process."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {process.returncode}")
    return seconds, usage.ru_maxrss * 1024


def measure(flags, what, *args):
    """The quickest of several runs, with the largest peak of them; prints their row."""
    command = [flags.berth, *map(str, args)]
    runs = [run(command) for _ in range(flags.runs)]
    seconds, peak = min(seconds for seconds, _ in runs), max(peak for _, peak in runs)
    print(f"| {what} | {seconds:.2f} s | {peak / 1e6:.0f} MB |", flush=True)
    return seconds, peak


def place_bert(flags):
    what = f"bert_base.onnx: placed in less than {PLACE_SECONDS:g} s with a budget of 1 s"
    if not BERT.exists():
        print("no exported/bert_base.onnx in the data folder (BERTH_DATA)", file=sys.stderr)
        return what, False
    seconds, _ = measure(flags, "`place bert_base.onnx --machine h200 --budget 1s`", "place", BERT, "--machine", "h200",
                         "--budget", "1s", "--quiet")
    return what, seconds < PLACE_SECONDS


def load_exported(flags, folder):
    path = folder / "chain.pt2"
    path.write_bytes(exported_chain(NODES))
    seconds, _ = measure(flags, f"`graph convert` of a .pt2 of {NODES:,} nodes", "graph", "convert", path, "-o", folder / "chain.json")
    return f".pt2 of {NODES:,} nodes: loaded in less than {LOAD_SECONDS:g} s", seconds < LOAD_SECONDS


def load_large(flags, folder):
    path = folder / "large.onnx"
    write_sparse_onnx(path)  # the weights are a hole in the file, which takes no room on disk
    size = path.stat().st_size / 1e9
    _, peak = measure(flags, f"`graph info` of an ONNX file of {size:.2f} GB", "graph", "info", path)
    return f"ONNX file of {size:.2f} GB: loaded in less than {MOST_BYTES / 1e6:g} MB", peak < MOST_BYTES


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth", help="the program")
    parser.add_argument("--runs", type=int, default=3, help="of which the quickest counts (default 3)")
    flags = parser.parse_args()
    print("| what | in all | peak memory |")
    print("| --- | --: | --: |", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        bars = [place_bert(flags), load_exported(flags, folder), load_large(flags, folder)]
    for what, holds in bars:
        print("PASS:" if holds else "FAIL:", what)
    sys.exit(0 if all(holds for _, holds in bars) else 1)


if __name__ == "__main__":
    main()

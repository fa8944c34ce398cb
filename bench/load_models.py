#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models of frameworks from file to plan: how long it takes in all, and how much memory.

load_models.py BERTH [--runs 3]     Markdown table, then PASS or FAIL per bar; exit code 1 if one is missed

Bars: `berth place bert_base.onnx --machine h200 --budget 1s` takes less than 2 s in all; a .pt2 file of 6,000 nodes loads (`graph
convert`) in less than 1 s; an ONNX file of 2 GB with its weights inside loads in less than 500 MB. The quickest of the runs counts.
bert_base.onnx is read from the folder BERTH_DATA, else ../shared/data from the project's root; where it is missing its bar is
missed. The other files are written by this program.
"""
import pathlib
import sys
import tempfile

from lib import cli, markdown, paths, units

sys.path.insert(0, str(paths.ROOT / "tests" / "app"))
from large_models import exported_chain, write_sparse_onnx  # noqa: E402

BERT = paths.data("exported", "bert_base.onnx")
PLACE_SECONDS, LOAD_SECONDS, MOST_BYTES = 2.0, 1.0, 500e6
NODES = 6000


def measure(flags, table, what, *words):
    """The quickest of several runs, with the largest peak of them, as a row of the table."""
    runs = [flags.berth.run(*words, codes=(0,)) for _ in range(flags.runs)]
    seconds, peak = min(done.seconds for done in runs), max(done.peak_bytes for done in runs)
    table.add(what, f"{seconds:.2f} s", units.megabytes(peak))
    return seconds, peak


def place_bert(flags, table):
    what = f"bert_base.onnx: placed in less than {PLACE_SECONDS:g} s with a budget of 1 s"
    if not BERT.exists():
        cli.say("no exported/bert_base.onnx in the data folder (BERTH_DATA)")
        return what, False
    seconds, _ = measure(flags, table, "`place bert_base.onnx --machine h200 --budget 1s`", "place", BERT, "--machine", "h200",
                         "--budget", "1s", "--quiet")
    return what, seconds < PLACE_SECONDS


def load_exported(flags, table, folder):
    path = folder / "chain.pt2"
    path.write_bytes(exported_chain(NODES))
    seconds, _ = measure(flags, table, f"`graph convert` of a .pt2 of {NODES:,} nodes", "graph", "convert", path, "-o", folder / "chain.json")
    return f".pt2 of {NODES:,} nodes: loaded in less than {LOAD_SECONDS:g} s", seconds < LOAD_SECONDS


def load_large(flags, table, folder):
    path = folder / "large.onnx"
    write_sparse_onnx(path)  # the weights are a hole in the file, which takes no room on disk
    size = path.stat().st_size / 1e9
    _, peak = measure(flags, table, f"`graph info` of an ONNX file of {size:.2f} GB", "graph", "info", path)
    return f"ONNX file of {size:.2f} GB: loaded in less than {MOST_BYTES / 1e6:g} MB", peak < MOST_BYTES


def main():
    parser = cli.parser(__doc__)
    parser.add_argument("--runs", type=int, default=3, help="of which the quickest counts (default 3)")
    flags = parser.parse_args()
    table = markdown.Printed(["what", "in all", "peak memory"], "lrr")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        bars = [place_bert(flags, table), load_exported(flags, table, folder), load_large(flags, table, folder)]
    print()
    return markdown.print_bars(bars)


if __name__ == "__main__":
    cli.run(main)

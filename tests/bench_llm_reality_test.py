#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/llm_reality: its models as berth reads them, what it reads of llama.cpp, and its bars on paper. Usage: bench_llm_reality_test.py BERTH."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))
BERTH = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "berth"

from lib import berth, gguf, llama_cpp, llm_cells  # noqa: E402

SMALL = gguf.Sizes(layers=9, hidden=512, ffn=768, heads=8, kv_heads=4, vocab=1000)
EXPERTS = gguf.Sizes(layers=2, hidden=512, ffn=256, heads=8, kv_heads=4, vocab=1000, experts=4, used=2)
LOG = """load_tensors:          CPU model buffer size =    10.00 MiB
load_tensors:   CPU_REPACK model buffer size =    30.00 MiB
llama_kv_cache:        CPU KV buffer size =     8.00 MiB
sched_reserve:        CPU compute buffer size =    64.50 MiB
"""


def cell(model="dense small", phase="decode", measured=10.0, predicted=11.0):
    return {"model": model, "weights": "f16", "phase": phase, "depth": 0, "measured": [measured * 0.5, measured, measured * 2], "predicted": predicted,
            "band": [0.7, 1.5], "parts": [], "probes": []}


def record(cells, weights=100.0):
    return {"fit_on": "medium", "cells": cells,
            "memory": [{"model": "dense small", "weights": "f16", "context": 2048, "measured": {"weights": 100.0, "cache": 10.0, "compute": 50.0},
                        "predicted": {"weights": weights, "cache": 10.0, "compute": 50.5}}]}


class Models(unittest.TestCase):
    def test_berth_reads_what_is_written(self):
        with tempfile.TemporaryDirectory() as folder:
            for sizes in (SMALL, EXPERTS):
                for weights in ("f16", "q8_0", "q4_0", "q4_k_m"):
                    path = pathlib.Path(folder) / "model.gguf"
                    written = gguf.write(path, "tiny", sizes, weights)
                    done = subprocess.run([BERTH, "llm", path, "-m", "rtx3090", "--ctx", "512", "--no-what-if", "--json"], capture_output=True, text=True)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    answer = json.loads(done.stdout)
                    self.assertEqual(answer["model"]["weight_bytes"], written)
                    self.assertEqual(answer["model"]["layers"], sizes.layers)
                    self.assertEqual(answer["model"]["parameters"], sum(gguf.count(dims) for _, dims, _ in gguf.tensors_of(sizes, weights)))
                    self.assertEqual(answer["cache_bytes"], sizes.layers * 512 * 2 * sizes.kv_heads * 64 * 2)
                    self.assertGreater(path.stat().st_size, written)

    def test_mixes_are_those_of_llama_quantize(self):
        kinds = {name: kind for name, _, kind in gguf.tensors_of(SMALL, "q4_k_m")}
        self.assertEqual(kinds["output.weight"], "q6_k")
        self.assertEqual(kinds["token_embd.weight"], "q4_k")
        self.assertEqual([layer for layer in range(9) if kinds[f"blk.{layer}.ffn_down.weight"] == "q6_k"], [0, 3, 6, 7, 8])
        self.assertEqual(kinds["blk.3.ffn_up.weight"], "q4_k")

    def test_halves_are_small_numbers(self):
        self.assertEqual({byte & 0x7F for byte in gguf.HALVES} - set(range(0x20, 0x2C)), set())


class Readings(unittest.TestCase):
    def test_buffers_of_the_log(self):
        tried = "load_tensors: CPU model buffer size = 999.00 MiB\n"
        found = llama_cpp.buffers(tried + LOG)
        self.assertEqual((found.weights, found.cache, found.compute), (40.0, 8.0, 64.5))
        with self.assertRaisesRegex(berth.Failed, "names no buffers"):
            llama_cpp.buffers("nothing")

    def test_speeds(self):
        rows = [{"n_gen": 0, "n_depth": 0, "samples_ts": [3.0]}, {"n_gen": 8, "n_depth": 1024, "samples_ts": [1.0, 2.0]}]
        self.assertEqual(llama_cpp.speeds(rows), {("prefill", 0): 3.0, ("decode", 1024): 2.0})


class Bars(unittest.TestCase):
    def test_cells_that_were_fitted_do_not_count(self):
        cells = [cell() for _ in range(12)] + [cell("dense medium", predicted=99.0)] * 20
        bars = dict(llm_cells.bars(record(cells)))
        self.assertEqual(len(bars), 5)
        self.assertTrue(all(bars.values()), bars)
        self.assertIn("decode: median error 10% of 12 (at most 15%); 12 within the band", bars)

    def test_misses(self):
        bars = dict(llm_cells.bars(record([cell(predicted=12.0), cell(phase="prefill", predicted=13.0)], weights=103.0)))
        self.assertEqual(list(bars.values()), [False, False, False, False, True, True])

    def test_tables(self):
        found = record([cell(), cell("dense medium"), cell(phase="prefill")])
        lines = llm_cells.speed_table(found).splitlines()
        self.assertEqual(lines[2], "| dense small | `f16` | 10 | 11 | +10% | 10 | 11 | +10% |")
        self.assertEqual(lines[3], "| dense medium (fitted) | `f16` | 10 | 11 | +10% |  |  |  |")
        self.assertIn("| 100.0 | 100.0 | +0.0% | 10.0 | 10.0 | +0.0% | 50.0 | 50.5 | +1.0% |", llm_cells.memory_table(found))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Flags of `berth llm` in the real llama.cpp: a tiny random GGUF, dense and with experts, loads with them, and every tensor and
every cache is where we said, as the log shows. Usage: llama_cpp_test.py BERTH BUILD_FOLDER. llama.cpp is compiled for it,
so this runs only when asked for (./test --consumers)."""
import consumer

consumer.only_if_asked("llama.cpp is compiled from its source package, which takes minutes")

import json  # noqa: E402
import pathlib  # noqa: E402
import shlex  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
import unittest  # noqa: E402

import llama_cpp  # noqa: E402
import tiny_gguf  # noqa: E402

berth = consumer.Program(sys.argv[1])
LAYERS = 12
SIZES = {"layers": LAYERS, "hidden": 256, "ffn": 512, "heads": 8, "kv_heads": 4}
# A CPU so slow that cards are worth it for a model of some MiB, and cards so small that it does not fit.
MACHINE = """
name = "tiny"
description = "two cards of some MiB"
[[devices]]
name = "cpu"
model = "ryzen-7950x"
bandwidth = "100 MB/s"
[[devices]]
name = "gpu0"
model = "rtx4090"
memory = "{} MiB"
[[devices]]
name = "gpu1"
model = "rtx3060"
memory = "{} MiB"
[[links]]
from = "cpu"
to = "gpu0"
bandwidth = "25 GB/s"
latency = "11 us"
[[links]]
from = "cpu"
to = "gpu1"
bandwidth = "6 GB/s"
latency = "11 us"
"""
# Cards, experts of the model, demands.
CASES = {
    "all on one card": ((64, 64), 0, []),
    "blocks of layers on both cards": ((20, 20), 0, ["--pin", "0-4=gpu1"]),
    "layers on the CPU too": ((16, 16), 0, ["--pin", "0-2=cpu", "--pin", "3-6=gpu1", "--pin", "7-11=gpu0"]),
    "feed-forward tensors on the CPU": ((16, 12), 0, []),
    "experts on the CPU": ((24, 16), 8, []),
    "a smaller cache": ((24, 16), 4, ["--cache-type", "q8_0"]),
    "a longer context": ((24, 24), 4, ["--ctx", "2048"]),
    "three sequences": ((32, 24), 0, ["--ctx", "300", "--sequences", "3"]),
}


def table(text):
    """Tensor to device, from --to table."""
    rows = [line.split() for line in text.splitlines()[1:] if line.strip()]
    return {row[0]: row[1] for row in rows}


class LlamaCpp(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.programs = llama_cpp.programs()
        cls.patterns = 0

    def check(self, folder, cards, experts, demands):
        model, machine = folder / "tiny.gguf", folder / "box.toml"
        names = tiny_gguf.write(model, experts=experts, **SIZES)
        machine.write_text(MACHINE.format(*cards))
        ask = ["llm", model, "--machine", machine, "--context-memory", "0B", "--host-memory", "0B", "--margin", "0B", "--objective", "decode",
               "--no-what-if", *demands]
        if "--ctx" not in demands:
            ask += ["--ctx", "512"]
        with llama_cpp.servers(self.programs, 2) as (first, second):
            ask += ["--rpc", f"gpu0={first}", "--rpc", f"gpu1={second}"]
            line, wanted = berth(*ask, "--to", "llama.cpp").strip(), table(berth(*ask, "--to", "table"))
            answer = json.loads(berth(*ask, "--json"))
            log = llama_cpp.load(self.programs, model, shlex.split(line))
        self.assertEqual(set(wanted), set(names))
        # Devices by the names that llama.cpp gives them; CPU weights may be in a buffer of the CPU in another order.
        called = {"cpu": "CPU", "gpu0": "RPC0", "gpu1": "RPC1"}
        for tensor, device in wanted.items():
            found = log.device_of(tensor)
            self.assertEqual("CPU" if found.startswith("CPU") else found, called[device], f"{tensor} with {line}")
        self.assertEqual(len(log.cache), LAYERS)
        for layer, device in log.cache.items():
            self.assertTrue(device.startswith(called[answer["layers"][layer]["home"]]), f"cache of layer {layer}: {device}")
        self.assertAlmostEqual(log.cache_mib, answer["cache_bytes"] / 2**20, delta=0.02)
        moved = sum(1 for tensor in log.moved if log.moved[tensor].startswith("CPU"))
        print(f"  {line}\n  {len(wanted)} tensors where we said, {moved} of them by -ot; {log.cache_mib} MiB of cache", flush=True)
        return line, set(wanted.values())

    def test_every_tensor_is_where_we_said(self):
        seen, patterns = set(), 0
        for name, case in CASES.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                print(name, flush=True)
                line, devices = self.check(pathlib.Path(folder), *case)
                seen |= devices
                patterns += " -ot " in line
        self.assertEqual(seen, {"cpu", "gpu0", "gpu1"})
        self.assertGreater(patterns, 1, "some cases should need -ot")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)

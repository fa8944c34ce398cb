#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""llm_products.py [TBPS TFLOPS]: what the products of llama-8b reach on a CUDA device, in shares of its bandwidth and peak
(H200: 4.8 TB/s, 989 TFLOP/s in bf16), as lines of Markdown. Needs PyTorch and a GPU of 24 GB.

All 32 layers have weights of their own, so nothing stays in a cache; one CUDA graph holds a whole step, as in runtimes.
Decode multiplies one token, prefill 512. Attention and norms are left out: these are the products alone."""
import sys

import torch

from lib import markdown, stats

LAYERS, HIDDEN, KV, FFN, VOCAB = 32, 4096, 1024, 14336, 128256
SHAPES = [(HIDDEN + 2 * KV, HIDDEN), (HIDDEN, HIDDEN), (2 * FFN, HIDDEN), (HIDDEN, FFN)]  # qkv, out, gate and up, down


def make_weights():
    random = [torch.randn(shape, dtype=torch.bfloat16, device="cuda") * 0.01 for _ in range(LAYERS) for shape in SHAPES]
    return random, torch.randn((VOCAB, HIDDEN), dtype=torch.bfloat16, device="cuda") * 0.01


def step(weights, head, inputs, tokens):
    for weight in weights:
        torch.nn.functional.linear(inputs[weight.shape[1]], weight)
    torch.nn.functional.linear(inputs[HIDDEN][-1:] if tokens > 1 else inputs[HIDDEN], head)


def seconds(weights, head, tokens, repeats):
    inputs = {width: torch.randn((tokens, width), dtype=torch.bfloat16, device="cuda") for width in (HIDDEN, FFN)}
    for _ in range(3):
        step(weights, head, inputs, tokens)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step(weights, head, inputs, tokens)
    times = []
    for _ in range(5):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(repeats):
            graph.replay()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) / 1e3 / repeats)
    return stats.median(times)


def main():
    bandwidth, peak = (float(word) * 1e12 for word in (sys.argv[1:3] if len(sys.argv) > 2 else ("4.8", "989")))
    weights, head = make_weights()
    elements = sum(weight.numel() for weight in weights)
    table = markdown.Printed(["step", "time", "share"], "lrr")
    decode = seconds(weights, head, 1, 20)
    table.add("decode, 1 token", f"{1e3 * decode:.2f} ms", f"{2 * (elements + head.numel()) / decode / bandwidth:.3f} of the bandwidth")
    prefill = seconds(weights, head, 512, 10)
    table.add("prefill, 512 tokens", f"{1e3 * prefill:.2f} ms", f"{2 * 512 * elements / prefill / peak:.3f} of the peak")


if __name__ == "__main__":
    main()

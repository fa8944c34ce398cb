# SPDX-License-Identifier: Apache-2.0
"""Graphs for the tests of the report's look: twelve blocks like those of a vision transformer, with or without module names."""
import json

BLOCKS = 12
SMALL, LARGE = [3, 512], [64, 8192]  # 6 KiB and 2 MiB


def block_graph(with_modules):
    """Every block is eight ops on 2 MiB; all blocks read one weight of 6 KiB, and each has a weight of 2 MiB of its own."""
    ops = []

    def add(name, kind, shape, inputs=(), **more):
        ops.append({"name": name, "type": kind, "inputs": [[i, 0] for i in inputs], "outputs": [{"dtype": "f32", "shape": shape}], **more})
        return len(ops) - 1

    at = add("x", "input", LARGE, role="input")
    shared = add("val_7", "constant", SMALL, role="constant")
    for block in range(BLOCKS):
        module = {"module": f"encoder.layers.encoder_layer_{block}"} if with_modules else {}
        weight = add(f"val_{100 + block}", "parameter", LARGE, role="parameter")
        for i in range(8):
            more = [weight] if i == 0 else [shared]
            at = add(f"node_MatMul_{8 * block + i}", "MatMul", LARGE, [at, *more], flops=1e9, attributes=f"transA = 0\nnote = <b>{i}</b>", **module)
    return {"format": "berth-graph/1", "title": "blocks", "outputs": [[at, 0]], "ops": ops}


def write(path, with_modules):
    path.write_text(json.dumps(block_graph(with_modules)))
    return path

# SPDX-License-Identifier: Apache-2.0
"""Large models for tests and benchmarks, written by hand in an instant."""
import os
import pathlib

from tiny_models import exported_archive, exported_node, exported_sizes, number, onnx_node, onnx_value, text
from protobuf_wire import prefix  # tiny_models knows where it is

SIDE = 23168  # a square matrix of so many f32 is just below 2 GiB, the most that protobuf reads


def write_sparse_onnx(path, side=SIDE):
    """x [1, side] times w [side, side], whose bytes are a hole in the file, with the node behind it."""
    weight_bytes = side * side * 4
    head = number(1, side) + number(1, side) + number(2, 1) + text(8, "w") + prefix(9, weight_bytes)
    before = text(11, onnx_value("x", [1, side])) + prefix(5, len(head) + weight_bytes) + head
    behind = text(1, onnx_node("product", "MatMul", ["x", "w"], ["y"])) + text(12, text(1, "y"))
    start = number(1, 10) + prefix(7, len(before) + weight_bytes + len(behind)) + before
    with pathlib.Path(path).open("wb") as file:
        file.write(start)
        file.seek(weight_bytes, os.SEEK_CUR)
        file.write(behind)


def exported_chain(nodes):
    """A .pt2 file of so many nodes: x [8, 64] through layers of a product and a rectifier, each with a weight of its own."""
    tensors, program, last = {"x": exported_sizes(8, 64)}, [], "x"
    for i in range(nodes):
        layer, name = i // 2, f"v{i}" if i + 1 < nodes else "y"
        stack = f"L__self__,,net.Net;L__self___layers_{layer},layers.{layer},torch.nn.modules.linear.Linear"
        metadata = {"nn_module_stack": stack, "stack_trace": f"  File \"net.py\", line {i}, in forward\n    x = layer(x)\n"}
        if i % 2 == 0:
            tensors[f"w{layer}"] = exported_sizes(64, 64)
            program.append(exported_node("linear.default", name, metadata, input=last, weight=f"w{layer}"))
        else:
            program.append(exported_node("relu.default", name, metadata, self=last))
        tensors[name] = exported_sizes(8, 64)
        last = name
    return exported_archive(program, tensors, parameters=[name for name in tensors if name.startswith("w")])

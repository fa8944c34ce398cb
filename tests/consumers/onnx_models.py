# SPDX-License-Identifier: Apache-2.0
"""Models for the consumers of ONNX: small ones made here, and real ones of the data folder with random weights."""
import os
import pathlib
import shutil

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

RANDOM = np.random.default_rng(7)


def weight(name, *shape):
    return numpy_helper.from_array((RANDOM.standard_normal(shape) / np.sqrt(np.prod(shape[1:]) or 1)).astype(np.float32), name)


def save(path, nodes, weights, inputs, outputs):
    values = [[helper.make_tensor_value_info(name, kind, shape) for name, kind, shape in side] for side in (inputs, outputs)]
    model = helper.make_model(helper.make_graph(nodes, "net", *values, weights), opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, path)
    return path


def residual_net(path, blocks=6, width=8):
    """Convolutions with shortcuts, of which the last is named twice and one not at all."""
    nodes, weights, last = [], [], "image"
    for i in range(blocks):
        weights += [weight(f"blocks.{i}.w", width, width if i else 3, 3, 3), weight(f"blocks.{i}.b", width)]
        nodes.append(helper.make_node("Conv", [last, f"blocks.{i}.w", f"blocks.{i}.b"], [f"conv{i}"], name=f"/blocks.{i}/Conv", pads=[1] * 4))
        nodes.append(helper.make_node("Relu", [f"conv{i}"], [f"relu{i}"], name="" if i == 2 else f"/blocks.{i}/Relu"))
        if i:
            nodes.append(helper.make_node("Add", [f"relu{i}", last], [f"sum{i}"], name=f"/blocks.{i}/Add"))
        last = f"sum{i}" if i else f"relu{i}"
    # Shapes and constants that are folded away, and that several stages read.
    nodes.append(helper.make_node("Shape", [last], ["shape"], name="shape"))
    nodes.append(helper.make_node("Constant", [], ["two"], name="two", value=numpy_helper.from_array(np.array(2.0, np.float32))))
    nodes.append(helper.make_node("Mul", ["relu0", "two"], ["early"], name="early"))
    nodes.append(helper.make_node("Mul", [last, "two"], ["late"], name="late"))
    nodes.append(helper.make_node("Add", ["early", "late"], ["joined"], name="joined"))
    nodes.append(helper.make_node("Reshape", ["joined", "shape"], ["y"], name="reshape"))
    return save(path, nodes, weights, [("image", TensorProto.FLOAT, ["batch", 3, 16, 16])], [("y", TensorProto.FLOAT, ["batch", width, 16, 16])])


def residual_net_input():
    return {"image": RANDOM.standard_normal((2, 3, 16, 16)).astype(np.float32)}


def real_model(data, name, folder):
    """A model of the data folder, whose weights were left out, with random ones."""
    source = data / "exported" / f"{name}.onnx"
    path = pathlib.Path(folder) / source.name
    shutil.copyfile(source, path)
    os.chmod(path, 0o644)
    model = onnx.load(path, load_external_data=False)
    size, places = 0, {}
    for tensor in model.graph.initializer:
        if tensor.data_location != TensorProto.EXTERNAL:
            continue
        entry = {item.key: item.value for item in tensor.external_data}
        if tensor.data_type == TensorProto.FLOAT:  # whole numbers are indices: all 0
            places[int(entry["offset"])] = tensor
        size = max(size, int(entry["offset"]) + int(entry["length"]))
        data_file = path.parent / entry["location"]
    with open(data_file, "wb") as file:
        file.truncate(size)
        for offset, tensor in sorted(places.items()):
            shape = list(tensor.dims)
            values = RANDOM.standard_normal(int(np.prod(shape)), dtype=np.float32) / np.float32(np.sqrt(np.prod(shape[1:]) or 1))
            file.seek(offset)
            file.write(values.tobytes())
    return path


def random_inputs(session):
    """By what the session of ONNX Runtime asks for."""
    types = {"tensor(float)": np.float32, "tensor(int64)": np.int64, "tensor(int32)": np.int32}
    return random_values((value.name, value.shape, types[value.type]) for value in session.get_inputs())


def random_values(wanted):
    """By name, of (name, shape, type): 2 for every size that is open; whole numbers are words of a small vocabulary."""
    inputs = {}
    for name, shape, kind in wanted:
        shape = [size if isinstance(size, int) else 2 for size in shape]
        values = RANDOM.standard_normal(shape) if np.issubdtype(kind, np.floating) else RANDOM.integers(0, 1000, shape)
        inputs[name] = values.astype(kind)
    return inputs

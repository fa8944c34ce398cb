# SPDX-License-Identifier: Apache-2.0
"""Tiny models of frameworks for the tests, written by hand: no framework is needed to make them."""
import io
import json
import pathlib
import sys
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from protobuf_wire import number, text, varint  # noqa: E402

FLOAT = 1  # ONNX


def onnx_value(name, dims):
    """A value of floats; a size is a number, a name, or None."""
    sizes = {int: lambda size: number(1, size), str: lambda size: text(2, size), type(None): lambda size: b""}
    shape = b"".join(text(1, sizes[type(size)](size)) for size in dims)
    return text(1, name) + text(2, text(1, number(1, FLOAT) + text(2, shape)))


def onnx_weight(name, dims):
    return b"".join(number(1, size) for size in dims) + number(2, FLOAT) + text(8, name)


def onnx_node(name, kind, inputs, outputs, **lists):
    """A node, with attributes that are lists of whole numbers."""
    node = b"".join(text(1, i) for i in inputs) + b"".join(text(2, o) for o in outputs) + text(3, name) + text(4, kind)
    for key, numbers in lists.items():
        node += text(5, text(1, key) + text(8, b"".join(map(varint, numbers))) + number(20, 7))
    return node


def onnx(inputs, weights, nodes, outputs):
    graph = b"".join(text(11, value) for value in inputs) + b"".join(text(5, weight) for weight in weights)
    graph += b"".join(text(1, node) for node in nodes) + b"".join(text(12, text(1, name)) for name in outputs)
    return number(1, 8) + text(7, graph)


def onnx_of_one_product():
    """x [batch, 64] times w [64, 10]."""
    return onnx([onnx_value("x", ["batch", 64])], [onnx_weight("w", [64, 10])],
                [onnx_node("product", "MatMul", ["x", "w"], ["y"])], ["y"])


def onnx_of_branches(branches=4, width=512):
    """x [batch, seq, width] times a weight, then as many products side by side, which are added up."""
    nodes = [onnx_node("stem", "MatMul", ["x", "w"], ["h0"])]
    nodes += [onnx_node(f"branch{i}", "MatMul", ["h0", f"w{i}"], [f"b{i}"]) for i in range(branches)]
    nodes.append(onnx_node("sum", "Sum", [f"b{i}" for i in range(branches)], ["y"]))
    weights = [onnx_weight(name, [width, width]) for name in ["w", *(f"w{i}" for i in range(branches))]]
    return onnx([onnx_value("x", ["batch", "seq", width])], weights, nodes, ["y"])


def onnx_of_a_choice():
    """If test: tanh of x, else two ops on x [4, 8]; which one runs is not known."""
    def branch(*nodes):
        return b"".join(text(1, node) for node in nodes) + text(12, text(1, "out"))

    yes = branch(onnx_node("tanh", "Tanh", ["x"], ["out"]))
    no = branch(onnx_node("neg", "Neg", ["x"], ["n"]), onnx_node("abs", "Abs", ["n"], ["out"]))
    choice = onnx_node("choice", "If", ["test"], ["y"])
    for key, graph in [("then_branch", yes), ("else_branch", no)]:
        choice += text(5, text(1, key) + text(6, graph) + number(20, 5))
    return onnx([onnx_value("x", [4, 8]), onnx_value("test", [])], [], [choice], ["y"])


def exported_tensor(name):
    return {"as_tensor": {"name": name}}


def exported_sizes(*sizes):
    """What a .pt2 file says of a tensor of floats."""
    return {"dtype": 7, "sizes": [size if isinstance(size, dict) else {"as_int": size} for size in sizes],
            "requires_grad": False, "device": {"type": "cpu", "index": None}, "strides": [],
            "storage_offset": {"as_int": 0}, "layout": 7}


def exported_node(target, output, metadata=None, **inputs):
    """A node with inputs that are tensors, by name, or lists of them."""
    def argument(value):
        return exported_tensor(value) if isinstance(value, str) else {"as_tensors": [{"name": name} for name in value]}

    return {"target": f"torch.ops.aten.{target}", "outputs": [exported_tensor(output)], "metadata": metadata or {},
            "inputs": [{"name": name, "arg": argument(value), "kind": 1} for name, value in inputs.items()]}


def exported_archive(nodes, tensors, parameters=(), x="x", y="y", contents=None):
    """A .pt2 file of a program that makes y of x; `contents` are the files of parameters, by their names."""
    graph = {"inputs": [], "outputs": [], "nodes": nodes, "sym_int_values": {}, "sym_bool_values": {}, "tensor_values": tensors}
    weights = [{"parameter": {"arg": {"name": name}, "parameter_name": name}} for name in parameters]
    signature = {"input_specs": [*weights, {"user_input": {"arg": exported_tensor(x)}}],
                 "output_specs": [{"user_output": {"arg": exported_tensor(y)}}]}
    program = {"graph_module": {"graph": graph, "signature": signature, "module_call_graph": []}, "opset_version": {"aten": 10},
               "range_constraints": {}, "schema_version": {"major": 8, "minor": 1}, "torch_version": "2.7.0"}
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("net/models/model.json", json.dumps(program))
        if contents:
            config = {name: {"path_name": content, "is_param": True} for name, content in contents.items()}
            file.writestr("net/data/weights/model_weights_config.json", json.dumps({"config": config}))
    return archive.getvalue()


def exported_program(size=8):
    """x [s77, 3] joined with itself, y [2*s77, 3]."""
    def rows(expression, hint):
        return {"as_expr": {"expr_str": expression, "hint": {"as_int": hint}}}

    return exported_archive([exported_node("cat.default", "y", tensors=["x", "x"])],
                            {"x": exported_sizes(rows("Symbol('s77', integer=True)", size), 3),
                             "y": exported_sizes(rows("Mul(Integer(2), Symbol('s77', integer=True))", 2 * size), 3)})


# x is multiplied by w as often as the condition holds, which it does not look at.
TENSORFLOW_LOOP = """
node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } }
  attr { key: 'shape' value { shape { dim { size: 8 } dim { size: 8 } } } } }
node { name: 'w' op: 'VariableV2' attr { key: 'dtype' value { type: DT_FLOAT } }
  attr { key: 'shape' value { shape { dim { size: 8 } dim { size: 8 } } } } }
node { name: 'go' op: 'Placeholder' attr { key: 'dtype' value { type: DT_BOOL } } attr { key: 'shape' value { shape { } } } }
node { name: 'enter' op: 'Enter' input: 'x' attr { key: 'T' value { type: DT_FLOAT } } attr { key: 'frame_name' value { s: 'f' } } }
node { name: 'merge' op: 'Merge' input: 'enter' input: 'next' attr { key: 'T' value { type: DT_FLOAT } } }
node { name: 'cond' op: 'LoopCond' input: 'go' }
node { name: 'switch' op: 'Switch' input: 'merge' input: 'cond' attr { key: 'T' value { type: DT_FLOAT } } }
node { name: 'product' op: 'MatMul' input: 'switch:1' input: 'w' attr { key: 'T' value { type: DT_FLOAT } } }
node { name: 'next' op: 'NextIteration' input: 'product' attr { key: 'T' value { type: DT_FLOAT } } }
node { name: 'y' op: 'Exit' input: 'switch' attr { key: 'T' value { type: DT_FLOAT } } }
"""

# x [?, 3, 4] reshaped to [-1, 4]
TENSORFLOW = """
node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } }
  attr { key: 'shape' value { shape { dim { size: -1 } dim { size: 3 } dim { size: 4 } } } } }
node { name: 'rows' op: 'Const' attr { key: 'value' value {
  tensor { dtype: DT_INT32 tensor_shape { dim { size: 2 } } int_val: [-1, 4] } } } }
node { name: 'flat' op: 'Reshape' input: 'x' input: 'rows' attr { key: 'T' value { type: DT_FLOAT } } }
node { name: 'y' op: 'Relu' input: 'flat' attr { key: 'T' value { type: DT_FLOAT } } }
"""

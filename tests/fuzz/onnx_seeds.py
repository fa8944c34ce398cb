# SPDX-License-Identifier: Apache-2.0
"""Small ONNX models that between them use most rules for shapes."""
import struct

FLOAT, INT64 = 1, 7


def value(name, *dims, kind=FLOAT):
    sizes = [("dim", [("dim_param", dim) if isinstance(dim, str) else ("dim_value", dim)]) for dim in dims]
    return [("name", name), ("type", [("tensor_type", [("elem_type", kind), ("shape", sizes)])])]


def weight(name, *dims):
    return [*[("dims", dim) for dim in dims], ("data_type", FLOAT), ("name", name)]


def numbers(name, *numbers):
    raw = struct.pack(f"<{len(numbers)}q", *numbers)
    return [("dims", len(numbers)), ("data_type", INT64), ("name", name), ("raw_data", raw)]


def node(kind, inputs, outputs, domain="", **attributes):
    fields = [*[("input", "" if one == "-" else one) for one in inputs.split()], *[("output", one) for one in outputs.split()],
              ("name", f"{kind}.{outputs.split()[0]}"), ("op_type", kind)]
    for name, value in attributes.items():
        if isinstance(value, int):
            value = [("i", value)]
        elif isinstance(value, str):
            value = [("s", value)]
        elif isinstance(value, tuple):
            value = [("ints", number) for number in value]
        fields.append(("attribute", [("name", name), *value]))
    return fields + ([("domain", domain)] if domain else [])


def model(inputs, weights, nodes, outputs, functions=()):
    graph = [*[("node", one) for one in nodes], *[("initializer", one) for one in weights],
             *[("input", one) for one in inputs], *[("output", value(one)) for one in outputs.split()]]
    return [("ir_version", 9), ("graph", graph), *[("functions", one) for one in functions]]


LAYERS = model(
    [value("x", "batch", 3, 16, 16)],
    [weight("w", 8, 3, 3, 3), weight("s", 8), weight("t", 8, 4, 2, 2), weight("g", 4, 10),
     numbers("pads", 0, 0, 1, 1, 0, 0, 1, 1), numbers("sizes", 1, 4, 9, 9)],
    [node("Conv", "x w", "conv", pads=(1, 1, 1, 1), strides=(2, 2), dilations=(1, 1), kernel_shape=(3, 3), group=1),
     node("BatchNormalization", "conv s s s s", "norm"),
     node("Relu", "norm", "relu"),
     node("MaxPool", "relu", "pool", kernel_shape=(2, 2), strides=(2, 2), ceil_mode=1),
     node("ConvTranspose", "pool t", "grown", strides=(2, 2), output_padding=(1, 1), auto_pad="NOTSET"),
     node("Pad", "grown pads", "padded"),
     node("Resize", "padded - - sizes", "resized"),
     node("GlobalAveragePool", "resized", "mean"),
     node("Flatten", "mean", "flat", axis=1),
     node("Gemm", "flat g", "y", transB=0, alpha=[("f", 1.0)]),
     node("Dropout", "y", "z")],
    "z")
SHAPES = model(
    [value("x", 2, 3, 4)],
    [numbers("zero", 0), numbers("one", 1), numbers("two", 2), numbers("rest", -1), numbers("far", 9223372036854775807)],
    [node("Shape", "x", "shape"),
     node("Gather", "shape one", "d", axis=0),
     node("Slice", "shape one far zero one", "tail"),
     node("Concat", "d rest", "wanted", axis=0),
     node("Reshape", "x wanted", "r"),
     node("ReduceProd", "tail", "count", keepdims=1),
     node("Mul", "count two", "more"), node("Div", "more two", "less"), node("Sub", "less one", "less1"),
     node("Add", "less1 one", "size"),
     node("Equal", "size count", "same"), node("Where", "same size one", "w"), node("Cast", "w", "c", to=7),
     node("Constant", "", "k", value_ints=(3, 1)),
     node("ConstantOfShape", "k", "ones", value=[("t", [("dims", 1), ("data_type", 7), ("int64_data", 5)])]),
     node("Constant", "", "limit", value_int=7), node("Constant", "", "start", value_int=0),
     node("Constant", "", "by", value_int=1),
     node("Range", "start limit by", "range"),
     node("Unsqueeze", "range zero", "u"), node("Squeeze", "u zero", "s"), node("Expand", "u k", "e"),
     node("Tile", "u k", "t"),
     node("Split", "x", "p q", axis=0), node("Transpose", "p", "turned", perm=(2, 0, 1)),
     node("ReduceMean", "turned", "mean", axes=(0,), keepdims=0),
     node("Slice", "x one zero two rest", "back")],
    "r c ones s e t q mean back")
SEQUENCE = model(
    [value("ids", "batch", 6, kind=INT64), value("a", 6, "batch", 4)],
    [weight("table", 50, 8), weight("q", 8, 8), weight("g", 8), weight("lw", 1, 12, 4), weight("lr", 1, 12, 3), numbers("k", 2),
     numbers("depth", 5), weight("onoff", 2)],
    [node("Gather", "table ids", "e", axis=0), node("MatMul", "e q", "h"), node("Transpose", "h", "ht", perm=(0, 2, 1)),
     node("MatMul", "h ht", "scores"), node("Softmax", "scores", "soft", axis=-1),
     node("Einsum", "soft h", "mixed", equation="bij,bjk->bik"),
     node("LayerNormalization", "mixed g g", "norm", axis=-1), node("TopK", "norm k", "best where", axis=-1),
     node("ArgMax", "norm", "max", axis=-1, keepdims=0), node("OneHot", "max depth onoff", "hot", axis=-1),
     node("Attention", "h h h", "attended", domain="com.microsoft", num_heads=2),
     node("LSTM", "a lw lr", "states last", hidden_size=3, direction="forward")],
    "best hot attended states")
FUNCTION = model(
    [value("x", 5)], [],
    [node("Scale", "x", "y", domain="mine", by=3), node("Scale", "y", "z", domain="mine")], "z",
    [[("name", "Scale"), ("input", "a"), ("input", "b"), ("output", "r"), ("attribute", "by"),
      ("node", node("Cast", "a", "c", to=[("ref_attr_name", "by")])), ("node", node("Twice", "c", "r", domain="mine")),
      ("domain", "mine")],
     [("name", "Twice"), ("input", "a"), ("output", "r"), ("node", node("Add", "a a", "r")), ("domain", "mine")]])

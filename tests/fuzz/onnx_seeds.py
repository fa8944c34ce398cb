# SPDX-License-Identifier: Apache-2.0
"""Small ONNX models that between them use most rules for shapes."""
import struct

FLOAT, INT8, INT64, BOOL = 1, 3, 7, 9


def value(name, *dims, kind=FLOAT):
    sizes = [("dim", [("dim_param", dim) if isinstance(dim, str) else ("dim_value", dim)]) for dim in dims]
    return [("name", name), ("type", [("tensor_type", [("elem_type", kind), ("shape", sizes)])])]


def weight(name, *dims, kind=FLOAT):
    return [*[("dims", dim) for dim in dims], ("data_type", kind), ("name", name)]


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


def body(inputs, nodes, outputs, weights=()):
    """An attribute that is a graph."""
    return [("g", [*[("node", one) for one in nodes], *[("initializer", one) for one in weights],
                   *[("input", [("name", one)]) for one in inputs.split()],
                   *[("output", [("name", one)]) for one in outputs.split()]])]


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
      ("attribute_proto", [("name", "by"), ("i", 1)]), ("node", node("Cast", "a", "c", to=[("ref_attr_name", "by")])),
      ("node", node("Twice", "c", "r", domain="mine")), ("domain", "mine")],
     [("name", "Twice"), ("input", "a"), ("output", "r"), ("node", node("Add", "a a", "r")), ("domain", "mine")]])
BODIES = model(
    [value("x", 3, 8), value("test", kind=BOOL), value("sequence", 7, 3, 8)],
    [numbers("five", 5), weight("w", 8, 8)],
    [node("If", "test", "a", then_branch=body("", [node("Neg", "x", "n")], "n"),
          else_branch=body("", [node("MatMul", "x v", "m"), node("Tanh", "m", "t")], "t", [weight("v", 8, 8)])),
     node("Loop", "five - x", "b all", body=body("turn go h", [
         node("MatMul", "h w", "p"),
         node("If", "go", "q", then_branch=body("", [node("Relu", "p", "r")], "r"), else_branch=body("", [], "p"))], "go q p")),
     node("Scan", "x sequence", "c each", num_scan_inputs=1, scan_input_axes=(0,), scan_output_axes=(-1,),
          body=body("state slice", [node("Add", "state slice", "next")], "next next"))],
    "a b all c each")
NAMES = model(
    [value("x", "batch", "2*seq + 1"), value("y", "batch", "Max(1, seq // 2)"), value("z", "batch**2", "Mod(seq, 4)", "?")],
    [numbers("zero", 0), numbers("minus", -1)],
    [node("Concat", "x y", "wide", axis=1), node("Shape", "wide", "s"), node("Gather", "s zero", "d", axis=0),
     node("Concat", "d minus", "rows", axis=0), node("Reshape", "z rows", "r")],
    "wide r")
HEADS = model(
    [value("q", "batch", 4, 16), value("image", "batch", 4, 8, 8), value("grid", "batch", 3, 3, 2), value("regions", 5, 4),
     value("at", 2, 2, kind=INT64), value("of", 5, kind=INT64)],
    [weight("qkv", 16, 48), weight("g", 16), weight("n", 32, 1, 8, kind=2), weight("scale", 32), weight("step"),
     weight("zero", kind=INT8), weight("i8", 16, 8, kind=INT8)],
    [node("Attention", "q q q", "one k1 v1", q_num_heads=2, kv_num_heads=2),
     node("Attention", "q qkv", "two", domain="com.microsoft", num_heads=2),
     node("MultiHeadAttention", "q q q", "three", domain="com.microsoft", num_heads=2),
     node("GroupQueryAttention", "q q q", "four k4 v4", domain="com.microsoft", num_heads=2, kv_num_heads=1),
     node("SkipLayerNormalization", "q one g", "skipped mean dev sum", domain="com.microsoft"),
     node("MatMulNBits", "skipped n scale", "narrow", domain="com.microsoft", N=32, K=16, bits=4, block_size=16),
     node("QuantizeLinear", "q step zero", "quantised"), node("MatMulInteger", "quantised i8", "product"),
     node("DequantizeLinear", "quantised step zero", "back"),
     node("DepthToSpace", "image", "plane", blocksize=2), node("SpaceToDepth", "image", "deep", blocksize=2),
     node("GridSample", "image grid", "sampled"),
     node("RoiAlign", "image regions of", "aligned", output_height=3, output_width=3),
     node("GatherND", "q at", "picked", batch_dims=0), node("ReduceL2", "q", "norm", axes=(-1,), keepdims=0),
     node("Upsample", "image", "up", scales=[("floats", 1.0), ("floats", 1.0), ("floats", 2.5), ("floats", 2.0)]),
     node("NonZero", "at", "found"), node("CumSum", "q of", "summed")],
    "two three narrow product back plane deep sampled aligned picked norm up found summed")

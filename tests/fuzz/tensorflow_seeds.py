# SPDX-License-Identifier: Apache-2.0
"""Small TensorFlow graphs: layers with a training step, arrays and shapes, calls of functions, an old loop, lists of tensors, and
ops on images and on what the data says."""


def shape(*dims):
    return [("dim", [("size", dim)]) for dim in dims]


def node(name, op, inputs="", device="", **attributes):
    fields = [("name", name), ("op", op), *[("input", one) for one in inputs.split()]]
    if device:
        fields.append(("device", device))
    return fields + [("attr", [("key", key), ("value", [value])]) for key, value in attributes.items()]


FLOAT, INT32 = ("type", "DT_FLOAT"), ("type", "DT_INT32")


def constant(name, *numbers):
    tensor = [("dtype", "DT_INT32"), ("tensor_shape", shape(len(numbers))), *[("int_val", n) for n in numbers]]
    return node(name, "Const", dtype=INT32, value=("tensor", tensor))


def placeholder(name, *dims):
    return node(name, "Placeholder", dtype=FLOAT, shape=("shape", shape(*dims)))


def ints(*numbers):
    return ("list", [("i", number) for number in numbers])


def function(name, inputs, returns, nodes, control=()):
    signature = [("name", name), *[("input_arg", [("name", one), ("type", "DT_FLOAT")]) for one in inputs],
                 *[("output_arg", [("name", one), ("type", "DT_FLOAT")]) for one in returns]]
    return [("signature", signature), *[("node_def", node) for node in nodes],
            *[("ret", [("key", key), ("value", value)]) for key, value in returns.items()],
            *[("control_ret", [("key", one), ("value", one)]) for one in control]]


def graph(nodes, functions=()):
    library = [("library", [("function", one) for one in functions])] if functions else []
    return [("node", node) for node in nodes] + library


def calls(f):
    return ("func", [("name", f)])


LAYERS = graph([
    placeholder("x", -1, 8, 8, 3),
    node("k", "VariableV2", dtype=FLOAT, shape=("shape", shape(3, 3, 3, 4)), device="/device:GPU:0"),
    node("conv", "Conv2D", "x k", T=FLOAT, strides=ints(1, 2, 2, 1), padding=("s", "SAME"), data_format=("s", "NHWC")),
    node("relu", "Relu", "conv", T=FLOAT, device="/device:GPU:1"),
    node("pool", "MaxPool", "relu", T=FLOAT, ksize=ints(1, 2, 2, 1), strides=ints(1, 2, 2, 1), padding=("s", "VALID")),
    constant("flat", -1, 16),
    node("reshape", "Reshape", "pool flat", T=FLOAT),
    node("w", "VarHandleOp", dtype=FLOAT, shape=("shape", shape(16, 5))),
    node("read", "ReadVariableOp", "w", dtype=FLOAT),
    node("product", "MatMul", "reshape read", T=FLOAT, transpose_a=("b", False), transpose_b=("b", False)),
    node("softmax", "Softmax", "product ^relu", T=FLOAT, _class=("list", [("s", "loc:@product")])),
    node("grad", "Mul", "read read", T=FLOAT),
    node("step", "AssignSubVariableOp", "w grad", dtype=FLOAT),
    node("train", "NoOp", "^step ^softmax"),
])
ARRAYS = graph([
    placeholder("x", 2, 6, 4),
    node("shape", "Shape", "x", T=FLOAT, out_type=INT32),
    constant("zero", 0), constant("one", 1), constant("two", 2), constant("many", 2, 1, 3),
    constant("order", 2, 0, 1), constant("wide", 1, 1, 0, 0, 2, 2),
    node("first", "StridedSlice", "shape zero one one", T=INT32, Index=INT32, shrink_axis_mask=("i", 1)),
    node("packed", "Pack", "first first", T=INT32, N=("i", 2), axis=("i", 0)),
    node("filled", "Fill", "packed one", T=INT32),
    node("tiled", "Tile", "x many", T=FLOAT),
    node("padded", "Pad", "x wide", T=FLOAT),
    node("split", "Split", "one x", T=FLOAT, num_split=("i", 2)),
    node("joined", "ConcatV2", "split split:1 one", T=FLOAT, N=("i", 2)),
    node("turned", "Transpose", "joined order", T=FLOAT),
    node("mean", "Mean", "x one", T=FLOAT, keep_dims=("b", True)),
    node("grown", "ExpandDims", "x one", T=FLOAT),
    node("shrunk", "Squeeze", "mean", T=FLOAT, squeeze_dims=ints(1)),
    node("picked", "GatherV2", "x one zero", Tparams=FLOAT),
    node("range", "Range", "zero two one", Tidx=INT32),
    node("hot", "OneHot", "range two one zero", T=INT32),
    node("best", "TopKV2", "x two", T=FLOAT),
    node("sum", "AddV2", "x mean", T=FLOAT),
])
CALLS = graph([
    placeholder("x", 2, 3),
    node("call", "PartitionedCall", "x x", f=calls("outer")),
    node("loop", "StatelessWhile", "call", body=calls("body"), cond=calls("cond")),
    node("test", "Placeholder", dtype=("type", "DT_BOOL"), shape=("shape", [])),
    node("if", "If", "test loop", then_branch=calls("body"), else_branch=calls("same")),
    node("y", "Neg", "if", T=FLOAT),
], [
    function("inner", ["a"], {"r": "neg:y:0"}, [node("neg", "Neg", "a", T=("placeholder", "T"))], ["neg"]),
    function("outer", ["a", "b"], {"r": "mul:z:0"},
             [node("one", "inner", "a", T=FLOAT), node("mul", "Mul", "one:r:0 b", T=FLOAT)]),
    function("body", ["a"], {"r": "neg:y:0"}, [node("neg", "Neg", "a", T=FLOAT)]),
    function("cond", ["a"], {"r": "all:output:0"}, [node("all", "Any", "a")]),
    function("same", ["a"], {"r": "a"}, []),
])
LOOP = graph([
    placeholder("x", 4),
    node("enter", "Enter", "x", T=FLOAT, frame_name=("s", "while")),
    node("merge", "Merge", "enter next", T=FLOAT, N=("i", 2)),
    node("less", "Less", "merge merge", T=FLOAT),
    node("cond", "LoopCond", "less"),
    node("switch", "Switch", "merge cond", T=FLOAT),
    node("body", "Neg", "switch:1", T=FLOAT),
    node("next", "NextIteration", "body", T=FLOAT),
    node("exit", "Exit", "switch", T=FLOAT),
])
LISTS = graph([
    placeholder("x", 5, 8, 16), placeholder("w", 16, 4), placeholder("go", 1),
    constant("time", 5), constant("zero", 0), constant("one", 1), constant("any", -1, -1),
    node("range", "Range", "zero time one", Tidx=INT32),
    node("in", "TensorArrayV3", "time", dtype=FLOAT),
    node("out", "TensorArrayV3", "time", dtype=FLOAT, element_shape=("shape", shape(-1, 4))),
    node("filled", "TensorArrayScatterV3", "in range x in:1", T=FLOAT),
    node("enter", "Enter", "out:1", T=FLOAT, frame_name=("s", "while")),
    node("merge", "Merge", "enter next", T=FLOAT, N=("i", 2)),
    node("cond", "LoopCond", "go"),
    node("switch", "Switch", "merge cond", T=FLOAT),
    node("item", "TensorArrayReadV3", "in zero filled", dtype=FLOAT),
    node("product", "MatMul", "item w", T=FLOAT),
    node("write", "TensorArrayWriteV3", "out zero product switch:1", T=FLOAT),
    node("next", "NextIteration", "write", T=FLOAT),
    node("exit", "Exit", "switch", T=FLOAT),
    node("gathered", "TensorArrayGatherV3", "out range exit", dtype=FLOAT),
    node("list", "TensorListFromTensor", "gathered any", element_dtype=FLOAT, shape_type=INT32),
    node("got", "TensorListGetItem", "list zero any", element_dtype=FLOAT),
    node("empty", "EmptyTensorList", "any one", element_dtype=FLOAT, shape_type=INT32),
    node("pushed", "TensorListPushBack", "empty got", element_dtype=FLOAT),
    node("popped", "TensorListPopBack", "pushed any", element_dtype=FLOAT),
    node("y", "TensorListStack", "popped any", element_dtype=FLOAT, num_elements=("i", -1)),
])
IMAGES = graph([
    placeholder("x", 2, 9, 10, 3), placeholder("boxes", 7, 4), placeholder("scores", 7),
    constant("size", 20, 30), constant("blocks", 3, 2), constant("pads", 0, 0, 1, 1), constant("most", 5), constant("zero", 0),
    node("large", "ResizeBilinear", "x size", T=FLOAT),
    node("parts", "SpaceToBatchND", "x blocks pads", T=FLOAT),
    node("whole", "BatchToSpaceND", "parts blocks pads", T=FLOAT),
    node("deep", "SpaceToDepth", "large", T=FLOAT, block_size=("i", 2)),
    node("kept", "NonMaxSuppressionV3", "boxes scores most", T=FLOAT),
    node("best", "GatherV2", "boxes kept zero", Tparams=FLOAT),
    node("crops", "CropAndResize", "x best kept size", T=FLOAT),
    node("where", "Where", "scores", T=FLOAT),
    node("axes", "BroadcastGradientArgs", "size most", T=INT32),
    node("sum", "Sum", "crops axes:1", T=FLOAT),
])
META = [("meta_info_def", [("tags", "serve")]), ("graph_def", LAYERS),
        ("signature_def", [("key", "serving_default"),
                           ("value", [("inputs", [("key", "x"), ("value", [("name", "x:0")])]),
                                      ("outputs", [("key", "y"), ("value", [("name", "softmax:0")])])])])]
SAVED = [("saved_model_schema_version", 1), ("meta_graphs", META)]

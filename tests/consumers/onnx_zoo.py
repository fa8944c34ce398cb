# SPDX-License-Identifier: Apache-2.0
"""Forty-odd small ONNX models for cutting into stages: every type of element, sequences, optionals, control flow, local functions,
opsets 13 to 23. None states the types of the values inside it. MODELS: name, function that gives (model, inputs)."""
import numpy as np
from onnx import AttributeProto
from onnx import TensorProto as T
from onnx import helper, numpy_helper

node = helper.make_node
MODELS = {}
X = np.arange(12, dtype=np.float32).reshape(3, 4) / 4
FIRST_OPSET = {T.FLOAT8E4M3FN: 19, T.FLOAT8E4M3FNUZ: 19, T.FLOAT8E5M2: 19, T.FLOAT8E5M2FNUZ: 19, T.UINT4: 21, T.INT4: 21, T.FLOAT4E2M1: 23}
NO_IDENTITY = (T.UINT4, T.INT4)  # in ONNX Runtime


def tensor(name, kind=T.FLOAT, shape=None):
    return helper.make_tensor_value_info(name, kind, shape)


def sequence(name, kind=T.FLOAT):
    return helper.make_tensor_sequence_value_info(name, kind, None)


def optional(name, kind=T.FLOAT):
    return helper.make_value_info(name, helper.make_optional_type_proto(helper.make_tensor_type_proto(kind, None)))


def constant(name, values, kind=np.int64):
    return numpy_helper.from_array(np.array(values, kind), name)


def named(nodes):
    for i, one in enumerate(nodes):
        one.name = one.name or f"{one.op_type.lower()}{i}"
    return nodes


def model(nodes, inputs, outputs, weights=(), opset=21, functions=(), domains=()):
    graph = helper.make_graph(named(list(nodes)), "net", inputs, outputs, list(weights))
    opsets = [helper.make_opsetid("", opset), *(helper.make_opsetid(domain, version) for domain, version in domains)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8 if opset < 19 else 10 if opset < 23 else 11, functions=list(functions))


def zoo(make):
    MODELS[make.__name__] = make
    return make


def of_type(kind, opset):
    """Both inputs as that type, which goes through a few nodes that take any type, and back."""
    def make():
        nodes = [node("Cast", ["x"], ["a"], to=kind), node("Cast", ["z"], ["d"], to=kind)]
        last = ["a", "d"]
        if kind not in NO_IDENTITY:
            nodes += [node("Identity", ["a"], ["b"]), node("Identity", ["b"], ["e"]), node("Identity", ["d"], ["f"])]
            last = ["e", "f"]
        nodes += [node("Cast", last[:1], ["g"], to=T.FLOAT), node("Cast", last[1:], ["h"], to=T.FLOAT), node("Add", ["g", "h"], ["y"])]
        inputs = [tensor("x", shape=[3, 4]), tensor("z", shape=[3, 4])]
        return model(nodes, inputs, [tensor("y")], opset=opset), {"x": X, "z": X + 1}
    return make


for i, (word, number) in enumerate(sorted(T.DataType.items())):
    if 0 < number <= T.FLOAT4E2M1:
        low = FIRST_OPSET.get(number, 13)
        MODELS[f"type_{word.lower()}"] = of_type(number, low + i % (24 - low))


@zoo
def types_by_rule():
    nodes = [node("Shape", ["x"], ["shape"]), node("Size", ["x"], ["size"]), node("NonZero", ["x"], ["where"]), node("TopK", ["x", "two"], ["top", "which"]),
             node("ArgMax", ["x"], ["largest"], axis=1), node("Greater", ["x", "half"], ["above"]), node("Where", ["above", "x", "half"], ["some"]),
             node("ReduceSum", ["where"], ["sum"]), node("Add", ["sum", "size"], ["total"]), node("Cast", ["total"], ["float_total"], to=T.FLOAT),
             node("Mul", ["some", "float_total"], ["y"]), node("Add", ["which", "which"], ["twice"])]
    weights = [constant("two", [2]), constant("half", 0.5, np.float32)]
    outputs = [tensor("y"), tensor("twice", T.INT64), tensor("shape", T.INT64), tensor("largest", T.INT64), tensor("top")]
    return model(nodes, [tensor("x", shape=[3, 4])], outputs, weights, 17), {"x": X}


@zoo
def unsigned_fill():
    fill = numpy_helper.from_array(np.array([7], np.uint32))
    nodes = [node("Shape", ["x"], ["shape"]), node("ConstantOfShape", ["shape"], ["sevens"], value=fill), node("Cast", ["x"], ["u"], to=T.UINT32),
             node("Concat", ["u", "sevens"], ["both"], axis=0), node("CastLike", ["x", "both"], ["like"]), node("Concat", ["both", "like"], ["y"], axis=0)]
    return model(nodes, [tensor("x", shape=[3, 4])], [tensor("y", T.UINT32)], opset=15), {"x": X}


@zoo
def quantized():
    weights = [constant("scale", 0.1, np.float32), constant("zero", 3, np.uint16)]
    nodes = [node("QuantizeLinear", ["x", "scale", "zero"], ["q"]), node("DequantizeLinear", ["q", "scale", "zero"], ["d"]),
             node("QuantizeLinear", ["d", "scale"], ["q8"], output_dtype=T.INT8), node("Transpose", ["q8"], ["t"]), node("DequantizeLinear", ["t", "scale"], ["y"])]
    return model(nodes, [tensor("x", shape=[3, 4])], [tensor("y")], weights, 21), {"x": X}


@zoo
def quantized_by_four_bits():
    weights = [constant("scale", 0.5, np.float32)]
    nodes = [node("QuantizeLinear", ["x", "scale"], ["q"], output_dtype=T.INT4), node("DequantizeLinear", ["q", "scale"], ["p"]), node("Abs", ["p"], ["y"])]
    return model(nodes, [tensor("x", shape=[3, 4])], [tensor("y")], weights, 23), {"x": X}


@zoo
def dynamically_quantized():
    nodes = [node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"]), node("DequantizeLinear", ["q", "s", "z"], ["d"]), node("Sqrt", ["s"], ["r"]),
             node("Mul", ["d", "r"], ["y"])]
    return model(nodes, [tensor("x", shape=[3, 4])], [tensor("y"), tensor("z", T.UINT8)], opset=13), {"x": X}


@zoo
def integer_product():
    nodes = [node("Cast", ["x"], ["a"], to=T.UINT8), node("Transpose", ["a"], ["b"]), node("MatMulInteger", ["a", "b"], ["c"]), node("Neg", ["c"], ["y"])]
    return model(nodes, [tensor("x", shape=[3, 4])], [tensor("y", T.INT32)], opset=14), {"x": X}


@zoo
def norms():
    weights = [constant("one", [1, 1, 1, 1], np.float32), constant("zero", [0, 0, 0, 0], np.float32)]
    nodes = [node("LayerNormalization", ["x", "one", "zero"], ["n", "mean", "deviation"]), node("Add", ["mean", "deviation"], ["m"]), node("Mul", ["n", "m"], ["y"])]
    return model(nodes, [tensor("x", shape=[3, 4])], [tensor("y")], weights, 18), {"x": X}


@zoo
def half_norm():
    weights = [constant("one", [1, 1, 1, 1], np.float16)]
    nodes = [node("Cast", ["x"], ["h"], to=T.FLOAT16), node("LayerNormalization", ["h", "one"], ["n"]), node("Add", ["n", "h"], ["s"]), node("Cast", ["s"], ["y"], to=T.FLOAT)]
    return model(nodes, [tensor("x", shape=[3, 4])], [tensor("y")], weights, 22), {"x": X}


@zoo
def bfloat_output():
    nodes = [node("Cast", ["x"], ["b"], to=T.BFLOAT16), node("Identity", ["b"], ["c"]), node("Cast", ["c"], ["f"], to=T.FLOAT), node("Abs", ["f"], ["y"])]
    return model(nodes, [tensor("x", shape=[3, 4])], [tensor("y")], opset=16), {"x": X}


@zoo
def strings():
    nodes = [node("StringConcat", ["s", "s"], ["twice"]), node("Identity", ["twice"], ["same"]), node("RegexFullMatch", ["same"], ["match"], pattern="a+"),
             node("Not", ["match"], ["other"]), node("StringSplit", ["same"], ["parts", "count"], delimiter="b"), node("Add", ["count", "count"], ["n"])]
    outputs = [tensor("other", T.BOOL), tensor("parts", T.STRING), tensor("n", T.INT64), tensor("same", T.STRING)]
    return model(nodes, [tensor("s", T.STRING, [2])], outputs, opset=20), {"s": np.array(["aa", "ab"], object)}


@zoo
def random_numbers_of_a_seed():
    nodes = [node("RandomUniformLike", ["x"], ["r"], seed=3.0, dtype=T.DOUBLE), node("Mul", ["r", "none"], ["o"]), node("Cast", ["x"], ["d"], to=T.DOUBLE), node("Add", ["d", "o"], ["y"])]
    return model(nodes, [tensor("x", shape=[3, 4])], [tensor("y", T.DOUBLE)], [constant("none", 0, np.float64)], 21), {"x": X}


@zoo
def sequences():
    nodes = [node("Neg", ["x"], ["n"]), node("SequenceConstruct", ["x", "n"], ["q"]), node("SequenceInsert", ["q", "n", "at"], ["p"]), node("SequenceLength", ["p"], ["l"]),
             node("SequenceAt", ["p", "at"], ["e"]), node("Cast", ["l"], ["f"], to=T.FLOAT), node("Mul", ["e", "f"], ["y"])]
    return model(nodes, [tensor("x", shape=[3, 4])], [tensor("y")], [constant("at", 1)], 13), {"x": X}


@zoo
def sequence_of_unsigned():
    nodes = [node("Cast", ["x"], ["u"], to=T.UINT16), node("SequenceEmpty", [], ["none"], dtype=T.UINT16), node("SequenceInsert", ["none", "u"], ["one"]),
             node("SequenceInsert", ["one", "u"], ["two"]), node("ConcatFromSequence", ["two"], ["c"], axis=0), node("Cast", ["c"], ["y"], to=T.FLOAT)]
    return model(nodes, [tensor("x", shape=[3, 4])], [tensor("y")], opset=16), {"x": X}


@zoo
def sequence_out():
    nodes = [node("Abs", ["x"], ["a"]), node("SplitToSequence", ["a"], ["q"], axis=0), node("SequenceErase", ["q", "at"], ["p"]), node("ConcatFromSequence", ["p"], ["y"], axis=0)]
    return model(nodes, [tensor("x", shape=[3, 4])], [tensor("y"), sequence("p")], [constant("at", 0)], 17), {"x": X}


@zoo
def sequence_in():
    nodes = [node("SequenceAt", ["q", "at"], ["e"]), node("Neg", ["e"], ["n"]), node("SequenceInsert", ["q", "n"], ["p"]), node("ConcatFromSequence", ["p"], ["y"], axis=1)]
    return model(nodes, [sequence("q")], [tensor("y")], [constant("at", 1)], 18), {"q": [X, X + 1]}


@zoo
def optionals():
    nodes = [node("Neg", ["x"], ["n"]), node("Optional", ["n"], ["o"]), node("OptionalHasElement", ["o"], ["h"]), node("OptionalGetElement", ["o"], ["e"]), node("Abs", ["e"], ["y"])]
    return model(nodes, [tensor("x", shape=[3, 4])], [tensor("y"), tensor("h", T.BOOL)], opset=18), {"x": X}


@zoo
def optional_in():
    nodes = [node("OptionalGetElement", ["o"], ["e"]), node("Abs", ["e"], ["a"]), node("Neg", ["a"], ["y"]), node("OptionalHasElement", ["o"], ["h"])]
    return model(nodes, [optional("o")], [tensor("y"), tensor("h", T.BOOL)], opset=18), {"o": X}


def branch(name, nodes, output, kind=T.FLOAT):
    return helper.make_graph(named(nodes), name, [], [tensor(output, kind)])


@zoo
def choice_of_outer_values():
    yes, no = branch("yes", [node("Add", ["n", "w"], ["yes_out"])], "yes_out"), branch("no", [node("Mul", ["a", "w"], ["no_out"])], "no_out")
    nodes = [node("Neg", ["x"], ["n"]), node("Abs", ["x"], ["a"]), node("ReduceSum", ["x"], ["s"], keepdims=0), node("Greater", ["s", "limit"], ["c"]),
             node("If", ["c"], ["r"], then_branch=yes, else_branch=no), node("Add", ["r", "a"], ["y"])]
    return model(nodes, [tensor("x", shape=[3, 4])], [tensor("y")], [constant("limit", 1, np.float32), constant("w", 2, np.float32)], 13), {"x": X}


@zoo
def choice_of_ranks():
    yes = branch("yes", [node("Identity", ["x"], ["yes_out"])], "yes_out")
    no = branch("no", [node("Reshape", ["x", "flat"], ["no_out"])], "no_out")
    nodes = [node("ReduceSum", ["x"], ["s"], keepdims=0), node("Less", ["s", "limit"], ["c"]), node("If", ["c"], ["r"], then_branch=yes, else_branch=no),
             node("Neg", ["r"], ["m"]), node("Abs", ["m"], ["y"])]
    return model(nodes, [tensor("x", shape=[3, 4])], [tensor("y")], [constant("limit", 1, np.float32), constant("flat", [12])], 19), {"x": X}


@zoo
def choice_of_bfloats():
    yes = branch("yes", [node("Cast", ["n"], ["yes_out"], to=T.BFLOAT16)], "yes_out", T.BFLOAT16)
    no = branch("no", [node("Cast", ["x"], ["no_out"], to=T.BFLOAT16)], "no_out", T.BFLOAT16)
    nodes = [node("Neg", ["x"], ["n"]), node("ReduceMax", ["x"], ["s"], keepdims=0), node("Greater", ["s", "limit"], ["c"]),
             node("If", ["c"], ["r"], then_branch=yes, else_branch=no), node("Cast", ["r"], ["f"], to=T.FLOAT), node("Abs", ["f"], ["y"])]
    return model(nodes, [tensor("x", shape=[3, 4])], [tensor("y")], [constant("limit", 1, np.float32)], 20), {"x": X}


def loop_body(nodes, carried, scanned, kind=T.FLOAT):
    return helper.make_graph(named(nodes), "body", [tensor("turn", T.INT64, []), tensor("go", T.BOOL, []), tensor("state", kind)],
                             [tensor("going", T.BOOL, []), tensor(carried, kind), *(tensor(name) for name in scanned)])


@zoo
def loop_over_outer_values():
    body = loop_body([node("Identity", ["go"], ["going"]), node("Add", ["state", "a"], ["next"]), node("ReduceSum", ["next"], ["sum"], keepdims=0)], "next", ["sum"])
    nodes = [node("Abs", ["x"], ["a"]), node("Neg", ["x"], ["n"]), node("Loop", ["three", "", "n"], ["last", "sums"], body=body), node("Mul", ["last", "a"], ["y"]), node("Neg", ["sums"], ["z"])]
    return model(nodes, [tensor("x", shape=[3, 4])], [tensor("y"), tensor("z")], [constant("three", 3)], 14), {"x": X}


@zoo
def loop_of_unsigned():
    body = loop_body([node("Identity", ["go"], ["going"]), node("Add", ["state", "step"], ["next"])], "next", [], T.UINT64)
    nodes = [node("Cast", ["x"], ["u"], to=T.UINT64), node("Cast", ["x"], ["step"], to=T.UINT64), node("Loop", ["three", "", "u"], ["last"], body=body), node("Cast", ["last"], ["y"], to=T.FLOAT)]
    return model(nodes, [tensor("x", shape=[3, 4])], [tensor("y")], [constant("three", 3)], 23), {"x": X}


@zoo
def choice_inside_a_loop():
    yes, no = branch("yes", [node("Add", ["state", "a"], ["yes_out"])], "yes_out"), branch("no", [node("Sub", ["state", "n"], ["no_out"])], "no_out")
    inside = [node("Identity", ["go"], ["going"]), node("Greater", ["turn", "one"], ["late"]), node("If", ["late"], ["next"], then_branch=yes, else_branch=no)]
    nodes = [node("Abs", ["x"], ["a"]), node("Neg", ["x"], ["n"]), node("Loop", ["three", "", "x"], ["last"], body=loop_body(inside, "next", [])), node("Abs", ["last"], ["y"])]
    return model(nodes, [tensor("x", shape=[3, 4])], [tensor("y")], [constant("three", 3), constant("one", 1)], 16), {"x": X}


@zoo
def scan():
    body = helper.make_graph(named([node("Add", ["state", "row"], ["next"]), node("Mul", ["next", "factor"], ["out"])]), "body", [tensor("state"), tensor("row")], [tensor("next"), tensor("out")])
    nodes = [node("ReduceSum", ["x", "first"], ["s"], keepdims=0), node("Neg", ["x"], ["n"]), node("ReduceMax", ["x"], ["factor"], keepdims=0),
             node("Scan", ["s", "n"], ["last", "rows"], body=body, num_scan_inputs=1), node("Abs", ["rows"], ["y"]), node("Neg", ["last"], ["z"])]
    return model(nodes, [tensor("x", shape=[3, 4])], [tensor("y"), tensor("z")], [constant("first", [0])], 17), {"x": X}


def function(name, inputs, outputs, nodes, attributes=(), opset=21):
    return helper.make_function("local", name, inputs, outputs, named(nodes), [helper.make_opsetid("", opset), helper.make_opsetid("local", 1)], list(attributes))


LOCAL = [("local", 1)]


@zoo
def local_function():
    twice = function("Twice", ["v"], ["w"], [node("Add", ["v", "v"], ["w"])], opset=17)
    nodes = [node("Twice", ["x"], ["a"], domain="local"), node("Neg", ["a"], ["n"]), node("Twice", ["n"], ["b"], domain="local"), node("Abs", ["b"], ["y"])]
    return model(nodes, [tensor("x", shape=[3, 4])], [tensor("y")], opset=17, functions=[twice], domains=LOCAL), {"x": X}


@zoo
def local_function_with_attributes():
    inside = node("Cast", ["v"], ["w"])
    inside.attribute.append(helper.make_attribute_ref("to", AttributeProto.INT, ref_attr_name="kind"))
    cast = function("As", ["v"], ["w"], [inside], ["kind"], 19)
    nodes = [node("As", ["x"], ["a"], domain="local", kind=T.UINT16), node("Identity", ["a"], ["b"]), node("As", ["b"], ["c"], domain="local", kind=T.BFLOAT16),
             node("Identity", ["c"], ["d"]), node("Cast", ["d"], ["y"], to=T.FLOAT)]
    return model(nodes, [tensor("x", shape=[3, 4])], [tensor("y")], opset=19, functions=[cast], domains=LOCAL), {"x": X}


@zoo
def local_functions_inside_each_other():
    pair = function("Pair", ["v"], ["least", "shape"], [node("ReduceMin", ["v"], ["least"]), node("Shape", ["v"], ["shape"])], opset=18)
    outer = function("Outer", ["v"], ["low", "size"], [node("Pair", ["v"], ["low", "s"], domain="local"), node("ReduceProd", ["s"], ["size"])], opset=18)
    nodes = [node("Neg", ["x"], ["n"]), node("Outer", ["n"], ["low", "size"], domain="local"), node("Cast", ["size"], ["f"], to=T.FLOAT), node("Mul", ["low", "f"], ["m"]), node("Add", ["m", "n"], ["y"])]
    return model(nodes, [tensor("x", shape=[3, 4])], [tensor("y")], opset=18, functions=[pair, outer], domains=LOCAL), {"x": X}


@zoo
def local_function_with_a_choice():
    yes, no = branch("yes", [node("Neg", ["v"], ["yes_out"])], "yes_out"), branch("no", [node("Abs", ["v"], ["no_out"])], "no_out")
    pick = function("Pick", ["v", "c"], ["w"], [node("If", ["c"], ["w"], then_branch=yes, else_branch=no)], opset=16)
    nodes = [node("ReduceSum", ["x"], ["s"], keepdims=0), node("Greater", ["s", "limit"], ["c"]), node("Abs", ["x"], ["a"]), node("Pick", ["a", "c"], ["p"], domain="local"), node("Add", ["p", "a"], ["y"])]
    return model(nodes, [tensor("x", shape=[3, 4])], [tensor("y")], [constant("limit", 1, np.float32)], 16, [pick], LOCAL), {"x": X}


@zoo
def left_out_inputs_and_outputs():
    nodes = [node("Clip", ["x", "", "most"], ["c"]), node("MaxPool", ["image"], ["pool", ""], kernel_shape=[2, 2]), node("Dropout", ["c"], ["d", "mask"]),
             node("Reshape", ["pool", "flat"], ["p"]), node("ReduceSum", ["p"], ["s"], keepdims=0), node("Add", ["d", "s"], ["y"])]
    nodes[1].output[:] = ["pool"]
    inputs = [tensor("x", shape=[3, 4]), tensor("image", shape=[1, 1, 4, 4])]
    weights = [constant("most", 2, np.float32), constant("flat", [9])]
    return model(nodes, inputs, [tensor("y"), tensor("mask", T.BOOL)], weights, 22), {"x": X, "image": np.ones((1, 1, 4, 4), np.float32)}


@zoo
def weights_and_constants_as_outputs():
    value = numpy_helper.from_array(np.array([1.5], np.float64))
    nodes = [node("Constant", [], ["k"], value=value), node("Cast", ["k"], ["l"], to=T.FLOAT), node("Add", ["x", "l"], ["a"]), node("Neg", ["a"], ["y"])]
    return model(nodes, [tensor("x", shape=[3, 4])], [tensor("y"), tensor("k", T.DOUBLE, [1]), tensor("w", T.UINT8, [2])], [constant("w", [1, 2], np.uint8)], 13), {"x": X}


@zoo
def inputs_with_defaults():
    nodes = [node("Add", ["x", "w"], ["a"]), node("Neg", ["a"], ["b"]), node("Mul", ["b", "w"], ["y"])]
    made = model(nodes, [tensor("x", shape=[3, 4]), tensor("w", shape=[4])], [tensor("y")], [constant("w", [1, 2, 3, 4], np.float32)], 15)
    return made, {"x": X, "w": np.array([4, 3, 2, 1], np.float32)}


@zoo
def sparse_weight():
    values = constant("w", [2, 3], np.float32)
    sparse = helper.make_sparse_tensor(values, constant("", [1, 6]), [2, 4])
    nodes = [node("Transpose", ["w"], ["t"]), node("Neg", ["x"], ["n"]), node("MatMul", ["n", "t"], ["m"]), node("Abs", ["m"], ["y"])]
    made = model(nodes, [tensor("x", shape=[3, 4])], [tensor("y")], opset=13)
    made.graph.sparse_initializer.append(sparse)
    return made, {"x": X}


@zoo
def attention_of_opset_23():
    q = np.random.default_rng(1).standard_normal((1, 2, 3, 8)).astype(np.float32)
    nodes = [node("Neg", ["q"], ["k"]), node("Attention", ["q", "k", "q"], ["a"]), node("RMSNormalization", ["a", "one"], ["r"]), node("Abs", ["r"], ["y"])]
    return model(nodes, [tensor("q", shape=[1, 2, 3, 8])], [tensor("y")], [constant("one", [1] * 8, np.float32)], 23), {"q": q}


@zoo
def classifier_of_another_domain():
    """Its label's type is told by attributes that Berth does not read: refused where that goes from stage to stage."""
    nodes = [node("Abs", ["x"], ["a"]), node("LinearClassifier", ["a"], ["label", "scores"], domain="ai.onnx.ml", classlabels_ints=[4, 9], coefficients=[1.0, 0, 0, 0, 0, 0, 0, 1],
                                             intercepts=[0.0, 1]), node("Add", ["label", "label"], ["twice"]), node("Neg", ["scores"], ["y"])]
    return model(nodes, [tensor("x", shape=[3, 4])], [tensor("twice", T.INT64), tensor("y")], opset=21, domains=[("ai.onnx.ml", 1)]), {"x": X}

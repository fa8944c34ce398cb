// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "import/exported_parts.h"
#include "model/small_model.h"

namespace berth {
namespace {

std::vector<std::int64_t> sizes(const Model& model, ValueIndex value) {
  std::vector<std::int64_t> sizes;
  for (const Dim& dim : model.values[value].shape.value()) sizes.push_back(dim.size);
  return sizes;
}

// One node over x, which is f32[2, 3], with these further arguments; its output is y.
ProgramText one_node(const std::string& target, const std::string& arguments, const std::string& symbols = "") {
  return {.input_specs = input_spec("x"),
          .output_specs = output_spec("y"),
          .nodes = node_text(target, named_tensor("self", "x") + (arguments.empty() ? "" : ",") + arguments,
                             tensor_arg("y")),
          .tensors = tensor_meta("x", size(2) + "," + size(3)) + "," + tensor_meta("y", size(2) + "," + size(3)),
          .symbols = symbols};
}

TEST(ExportedProgram, NodesLeavesAndOutputs) {
  const Model model = parsed(linear_program());
  EXPECT_EQ(model.title, "net");
  EXPECT_EQ(model.dialect, Dialect::kAten);
  EXPECT_EQ(listing(model),
            "linear = aten.linear.default(x, p_fc_weight, p_fc_bias) @ fc\n"
            "relu = aten.relu.default(linear)\n");
  EXPECT_EQ(model.nodes[0].name, "linear");
  EXPECT_EQ(model.source_nodes, 2U);
  EXPECT_EQ(model.source_edges, 4U);
  ASSERT_EQ(model.outputs.size(), 1U) << "what is written back into a buffer is no output";
  EXPECT_EQ(model.values[model.outputs[0]].name, "relu");
  EXPECT_EQ(model.values[model.outputs[0]].dtype, DType::kF32);
  EXPECT_EQ(sizes(model, model.outputs[0]), (std::vector<std::int64_t>{2, 4}));
}

TEST(ExportedProgram, LeavesAreWhatIsRead) {
  const Model model = parsed(linear_program());
  std::string leaves;
  for (const Leaf& leaf : model.leaves) {
    leaves += fmt::format("{} {} '{}'; ", name_of(leaf.role), model.values[leaf.value].name, leaf.label);
  }
  EXPECT_EQ(leaves, "input x ''; parameter p_fc_weight 'fc.weight'; parameter p_fc_bias 'fc.bias'; ")
      << "the tied copy, which nothing reads, is left out";
}

TEST(ExportedProgram, BuffersAndConstantsHaveTheirRoles) {
  ProgramText program =
      one_node("torch.ops.aten.foo.default", named_tensor("b", "buf") + "," + named_tensor("c", "con"));
  program.input_specs += R"(,{"buffer":{"arg":{"name":"buf"},"buffer_name":"bn.mean","persistent":false}},)"
                         R"({"tensor_constant":{"arg":{"name":"con"},"tensor_constant_name":"lifted_0"}},)"
                         R"({"constant_input":{"name":"flag","value":{"as_bool":true}}},)"
                         R"({"user_input":{"arg":{"as_none":true}}})";
  program.tensors = program.tensors + "," + tensor_meta("buf", size(3)) + "," + tensor_meta("con", "", 5);
  const Model model = parsed(program);
  ASSERT_EQ(model.leaves.size(), 3U);
  EXPECT_EQ(model.leaves[1].role, Role::kBuffer);
  EXPECT_EQ(model.leaves[1].label, "bn.mean");
  EXPECT_EQ(model.leaves[2].role, Role::kConstant);
  EXPECT_EQ(model.values[model.leaves[2].value].shape, Shape()) << "a scalar";
  EXPECT_EQ(model.values[model.leaves[2].value].dtype, DType::kI64);
}

TEST(ExportedProgram, ArgumentsBecomeAttributes) {
  const Model model = parsed(one_node(
      "torch.ops.aten.foo.default",
      named("i", R"({"as_int":-3})") + "," + named("is", R"({"as_ints":[2,-1]})") + "," +
          named("f", R"({"as_float":0.5})") + "," + named("t", R"({"as_bool":true})") + "," +
          named("ts", R"({"as_bools":[true,false]})") + "," + named("s", R"({"as_string":"mean"})") + "," +
          named("d", R"({"as_scalar_type":13})") + "," + named("w", R"({"as_device":{"type":"cuda","index":1}})") +
          "," + named("n", R"({"as_none":true})") + "," + named("c", R"({"as_complex":{"real":1.0,"imag":2.0}})") +
          "," + named("fs", R"({"as_floats":[1.5]})") + "," + named("ss", R"({"as_strings":["a"]})") + "," +
          named("m", R"({"as_memory_format":2})")));
  const Node& node = model.nodes.at(0);
  EXPECT_EQ(node.integer("i", 0), -3);
  EXPECT_EQ(node.integer("t", 0), 1);
  EXPECT_EQ(node.integer("m", 0), 2);
  EXPECT_EQ(*node.find<std::vector<std::int64_t>>("is"), (std::vector<std::int64_t>{2, -1}));
  EXPECT_EQ(*node.find<std::vector<std::int64_t>>("ts"), (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(*node.find<double>("f"), 0.5);
  EXPECT_EQ(*node.find<std::vector<double>>("c"), (std::vector<double>{1.0, 2.0}));
  EXPECT_EQ(*node.find<std::vector<double>>("fs"), std::vector<double>{1.5});
  EXPECT_EQ(*node.find<std::string>("s"), "mean");
  EXPECT_EQ(*node.find<std::string>("d"), "bf16");
  EXPECT_EQ(*node.find<std::string>("w"), "cuda:1");
  EXPECT_EQ(*node.find<std::vector<std::string>>("ss"), std::vector<std::string>{"a"});
  EXPECT_EQ(node.attributes.size(), 12U) << "None is left out";
  const auto lowered = lower(model);
  ASSERT_TRUE(lowered) << lowered.error().message;
  EXPECT_EQ(
      lowered->graph.attributes(op_named(lowered->graph, "y")),
      "i = -3\nis = [2, -1]\nf = 0.5\nt = 1\nts = [1, 0]\ns = mean\nd = bf16\nw = cuda:1\nc = [1, 2]\nfs = [1.5]\n"
      "ss = [a]\nm = 2");
}

TEST(ExportedProgram, TensorsInsideArguments) {
  ProgramText program =
      one_node("torch.ops.aten.index.Tensor",
               named("indices", R"({"as_optional_tensors":[{"as_none":true},{"as_tensor":{"name":"z"}}]})") + "," +
                   named("nested", R"({"as_nested_tensors":[[{"name":"x"}],[{"name":"z"}]]})") + "," +
                   named("more", R"({"as_string_to_argument":{"k":{"as_tensors":[{"name":"z"}]},"n":{"as_int":7}}})") +
                   "," + named("one", R"({"as_optional_tensor":{"as_tensor":{"name":"z"}}})"));
  program.input_specs = program.input_specs + "," + input_spec("z");
  const Model model = parsed(program);
  EXPECT_EQ(listing(model), "y = aten.index.Tensor(x, z, x, z, z, z)\n");
  EXPECT_EQ(model.nodes[0].integer("more.n", 0), 7);
  EXPECT_EQ(model.source_edges, 2U) << "edges are pairs of a tensor and its reader";
  EXPECT_EQ(model.values[model.leaves[1].value].shape, std::nullopt) << "z is described nowhere";
}

TEST(ExportedProgram, SeveralOutputs) {
  ProgramText program;
  program.input_specs = input_spec("x");
  program.output_specs = output_spec("c") + "," + output_spec("a") + "," + output_spec("c");
  program.nodes =
      node_text("torch.ops.aten.split.Tensor", named_tensor("self", "x"),
                R"({"as_tensors":[{"name":"a"},{"name":"b"}]})") +
      "," +
      node_text("torch.ops.aten.native_layer_norm.default", named_tensor("input", "a"),
                tensor_arg("c") + "," + tensor_arg("n_unused_1") + R"(,{"as_none":true},)" + tensor_arg(""));
  const Model model = parsed(program);
  EXPECT_EQ(listing(model),
            "a, b = aten.split.Tensor(x)\n"
            "c, n_unused_1 = aten.native_layer_norm.default(a)\n");
  ASSERT_EQ(model.outputs.size(), 2U) << "in the order of the user, each once";
  EXPECT_EQ(model.values[model.outputs[0]].name, "c");
  EXPECT_EQ(model.values[model.outputs[1]].name, "a");
}

TEST(ExportedProgram, SymbolicSizesHaveTheSizeOfTheExport) {
  ProgramText program = one_node("torch.ops.aten.relu.default", "");
  program.tensors = tensor_meta(
      "x", symbolic("Symbol('s77', integer=True)", 8) + R"(,{"as_expr":{"expr_str":"2*s0","hint":null}},{"as_int":4})");
  const Model model = parsed(program);
  const Shape expected{{8, "s77"}, {-1, "2*s0"}, {4, ""}};
  EXPECT_EQ(model.values[model.leaves.at(0).value].shape, expected);
}

// n = x.size(0); m = 2 * n; y = x.view([m, -1]); then the same with a number read from x.
TEST(ExportedProgram, NumbersFromShapesAreAttributesThoseFromDataAreNodes) {
  const std::string sym_n = R"({"as_sym_int":{"as_name":"n"}})", sym_m = R"({"as_sym_int":{"as_name":"m"}})";
  const std::string view = named("size", R"({"as_sym_ints":[{"as_name":"m"},{"as_int":5},{"as_name":"gone"}]})") + "," +
                           named("scalar", sym_n);
  const auto program = [&](const std::string& origin) {
    ProgramText text;
    text.input_specs = input_spec("x");
    text.output_specs = output_spec("y");
    text.symbols = std::string("\"n\":") + symbolic("s0", 8) + ",\"m\":" + symbolic("2*s0", 16);
    text.nodes = node_text(origin, named_tensor("self", "x"), sym_n) + "," +
                 node_text("_operator.mul", named("a", sym_n) + "," + named("b", R"({"as_int":2})"), sym_m) + "," +
                 node_text("torch.ops.aten.view.default", named_tensor("self", "x") + "," + view, tensor_arg("y"));
    return text;
  };
  const Model shapes = parsed(program("torch.ops.aten.sym_size.int"));
  EXPECT_EQ(listing(shapes), "y = aten.view.default(x)\n");
  EXPECT_EQ(*shapes.nodes.at(0).find<std::vector<std::int64_t>>("size"), (std::vector<std::int64_t>{16, 5, -1}));
  EXPECT_EQ(shapes.nodes[0].integer("scalar", 0), 8);
  EXPECT_EQ(shapes.source_nodes, 3U) << "as the file has them";

  const Model data = parsed(program("torch.ops.aten.item.default"));
  EXPECT_EQ(listing(data), "n = aten.item.default(x)\nm = _operator.mul(n)\ny = aten.view.default(x, m, n)\n");
  EXPECT_EQ(data.values[data.nodes[0].outputs[0]].dtype, DType::kI64);
  EXPECT_EQ(data.values[data.nodes[0].outputs[0]].shape, Shape());
}

TEST(ExportedProgram, AssertionsAreLeftOut) {
  ProgramText program = one_node("torch.ops.aten.relu.default", "");
  program.nodes = program.nodes + "," +
                  node_text("torch.ops.aten._assert_tensor_metadata.default", named_tensor("a", "x"), "") + "," +
                  node_text("torch.ops.mylib.write.default", named_tensor("a", "x"), "");
  EXPECT_EQ(listing(parsed(program)), "y = aten.relu.default(x)\n = mylib.write.default(x)\n");
}

// a = x + x; part = x[0]; part.copy_(a); y = x * 2: y reads what the copy wrote, though it names x.
TEST(ExportedProgram, WritesKeepTheirOrder) {
  const auto call = [](const std::string& target, const std::string& inputs, const std::string& output) {
    return node_text("torch.ops.aten." + target, inputs, tensor_arg(output));
  };
  const std::string x = named_tensor("self", "x");
  ProgramText program;
  program.input_specs = input_spec("x") + "," + input_spec("k");
  program.output_specs = output_spec("y");
  program.nodes = call("neg.default", x, "early") + "," + call("add.Tensor", x, "a") + "," +
                  call("select.int", x, "part") + "," +
                  call("copy_.default", named_tensor("self", "part") + "," + named_tensor("src", "a"), "part_1") + "," +
                  call("mul.Tensor", x, "y") + "," + call("neg.default", named_tensor("self", "part_1"), "z") + "," +
                  call("__and__.Tensor", named_tensor("self", "k"), "and") + "," +
                  call("neg.default", named_tensor("self", "k"), "n");
  const Model model = parsed(program);
  std::string order;
  for (const Node& node : model.nodes) {
    for (const std::uint32_t before : node.control)
      order += fmt::format("{} < {}; ", model.nodes[before].name, node.name);
  }
  EXPECT_EQ(order, "early < part_1; part_1 < y; ") << "a and z wait for their inputs anyway; __and__ writes nothing";
}

TEST(ExportedProgram, MistakesAreNamed) {
  EXPECT_EQ(program_error_of("{}"),
            "net.pt2: it is no exported program (\"graph_module\" or \"schema_version\" is missing); save the model by "
            "torch.export.save");
  ProgramText future = linear_program();
  future.schema = 9;
  EXPECT_EQ(program_error_of(future.json()),
            "net.pt2: its schema has version 9, those from 5 to 8 are read; export the model by torch 2.5 to 2.11");
  EXPECT_EQ(program_error_of(one_node("torch.ops.aten.add.Tensor", named_tensor("other", "w")).json()),
            "net.pt2: node 'y': nodes[0].inputs[1].arg: no node before it makes \"w\"");
  EXPECT_EQ(program_error_of(one_node("torch.ops.aten.foo.default", named("a", R"({"as_wonder":1})")).json()),
            "net.pt2: node 'y': nodes[0].inputs[1].arg.as_wonder: arguments of the kind \"as_wonder\" are not known; "
            "export the model by torch 2.5 to 2.11");
  const std::string both = R"({"as_int":1,"as_float":1.0})";
  EXPECT_EQ(program_error_of(one_node("torch.ops.aten.foo.default", named("a", both)).json()),
            "net.pt2: node 'y': nodes[0].inputs[1].arg: it is both \"as_int\" and \"as_float\"");
  ProgramText twice = linear_program();
  twice.nodes =
      twice.nodes + "," + node_text("torch.ops.aten.relu.default", named_tensor("self", "x"), tensor_arg("relu"));
  EXPECT_EQ(program_error_of(twice.json()), "net.pt2: node 'relu': the value \"relu\" is there twice");
  ProgramText nothing = linear_program();
  nothing.output_specs = output_spec("gone");
  EXPECT_EQ(program_error_of(nothing.json()), "net.pt2: the output \"gone\" is made by no node");
  ProgramText negative = linear_program();
  negative.tensors = tensor_meta("x", size(-2));
  EXPECT_EQ(program_error_of(negative.json()),
            "net.pt2: tensor_values.x.sizes[0].as_int: expected a non-negative integer, found -2");
}

// Python writes infinities bare, newer versions of torch as strings.
TEST(ExportedProgram, InfiniteNumbers) {
  const Model model =
      parsed(one_node("torch.ops.aten.masked_fill.Scalar",
                      named("a", R"({"as_float":-Infinity})") + "," + named("b", R"({"as_float":"Infinity"})") + "," +
                          named("c", R"({"as_floats":[NaN, 1.0, Infinity]})") + "," +
                          named("d", R"({"as_string":"-Infinity, \"NaN"})")));
  const Node& node = model.nodes.at(0);
  EXPECT_EQ(*node.find<double>("a"), -INFINITY);
  EXPECT_EQ(*node.find<double>("b"), INFINITY);
  const auto& list = *node.find<std::vector<double>>("c");
  EXPECT_TRUE(std::isnan(list.at(0)));
  EXPECT_EQ(list.at(1), 1.0);
  EXPECT_EQ(list.at(2), INFINITY);
  EXPECT_EQ(*node.find<std::string>("d"), "-Infinity, \"NaN") << "text stays as it is";
}

}  // namespace
}  // namespace berth

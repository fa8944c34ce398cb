// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "import/exported_parts.h"

namespace berth {
namespace {

std::string exported_subgraph(const std::string& nodes, const std::string& inputs, const std::string& outputs) {
  return fmt::format(R"({{"as_graph":{{"name":"g","graph":{{"inputs":[{}],"outputs":[{}],"nodes":[{}],)"
                     R"("tensor_values":{{{}}},"sym_int_values":{{}},"sym_bool_values":{{}}}}}}}})",
                     inputs, outputs, nodes, tensor_meta("y", size(9)));
}

// y = relu(a); z = y + b; the names are also names of the outer graph.
std::string relu_and_add() {
  return exported_subgraph(node_text("torch.ops.aten.relu.default", named_tensor("self", "a"), tensor_arg("y")) + "," +
                               node_text("torch.ops.aten.add.Tensor",
                                         named_tensor("self", "y") + "," + named_tensor("other", "x"), tensor_arg("z")),
                           tensor_arg("a") + "," + tensor_arg("x"), tensor_arg("z"));
}

ProgramText wrapped(const std::string& target, const std::string& graph, const std::string& operands) {
  ProgramText program;
  program.input_specs = input_spec("x") + "," + parameter_spec("w", "w");
  program.output_specs = output_spec("y");
  program.nodes =
      node_text(target, named("", R"({"as_bool":false})") + "," + named("", graph) + "," + operands, tensor_arg("y"));
  return program;
}

TEST(ExportedSubgraph, RunOnceIsWrittenOut) {
  const Model model = parsed(wrapped("torch.ops.higher_order.wrap_with_set_grad_enabled", relu_and_add(),
                                     named_tensor("", "x") + "," + named_tensor("", "w")));
  EXPECT_EQ(listing(model), "y = aten.relu.default(x)\nz = aten.add.Tensor(y, w)\n");
  EXPECT_EQ(model.values[model.nodes[0].outputs[0]].shape, Shape{Dim{9}}) << "as the subgraph describes it";
  EXPECT_EQ(model.values[model.outputs.at(0)].name, "z");
  EXPECT_EQ(model.source_nodes, 2U);
}

TEST(ExportedSubgraph, RunMoreOrLessOftenIsRefused) {
  EXPECT_EQ(
      program_error_of(wrapped("torch.ops.higher_order.while_loop", relu_and_add(), named_tensor("", "x")).json()),
      "net.pt2: node 'y': higher_order.while_loop decides while it runs which subgraph to run or how often, which no "
      "plan can foresee; export the model without it");
  EXPECT_EQ(program_error_of(wrapped("torch.ops.higher_order.wrap", relu_and_add(), named_tensor("", "x")).json()),
            "net.pt2: node 'y': its subgraph takes 2 arguments, 1 are given");
  EXPECT_EQ(program_error_of(wrapped("torch.ops.higher_order.wrap", relu_and_add(),
                                     named_tensor("", "x") + "," + named("", R"({"as_int":1})"))
                                 .json()),
            "net.pt2: node 'y': its subgraph takes the tensor \"x\", none is given");
}

TEST(ExportedSubgraph, KernelsWithAFormulaAreOneNode) {
  const Model model = parsed(wrapped("torch.ops.higher_order.flex_attention", relu_and_add(),
                                     named_tensor("", "x") + "," + named_tensor("", "w")));
  EXPECT_EQ(listing(model), "y = higher_order.flex_attention(x, w)\n");
}

TEST(ExportedSubgraph, NestingEnds) {
  std::string graph = relu_and_add();
  for (int i = 0; i < 70; ++i) {
    graph = exported_subgraph(
        node_text("torch.ops.higher_order.wrap",
                  named("", graph) + "," + named_tensor("", "a") + "," + named_tensor("", "x"), tensor_arg("z")),
        tensor_arg("a") + "," + tensor_arg("x"), tensor_arg("z"));
  }
  const std::string json =
      wrapped("torch.ops.higher_order.wrap", graph, named_tensor("", "x") + "," + named_tensor("", "w")).json();
  const std::string error = program_error_of(json);
  EXPECT_TRUE(error.ends_with("subgraphs are nested more than 64 deep")) << error.substr(0, 200);
}

}  // namespace
}  // namespace berth

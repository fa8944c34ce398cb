// SPDX-License-Identifier: Apache-2.0
// Recurrent cells and convolution blocks: what is found by structure is compared with what the zoo's module paths say.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "graph/builder.h"
#include "learn/grouping/cells.h"
#include "learn/grouping/convs.h"
#include "learn/grouping/labels.h"
#include "zoo/zoo.h"

namespace berth::learn {
namespace {

bool is_step(std::string_view module) {
  const std::size_t dot = module.rfind('.');
  return module.find("layer.") != std::string_view::npos && module.substr(dot + 1).starts_with('t');
}

class Cells : public testing::TestWithParam<std::string_view> {};

TEST_P(Cells, AreTheStepsOfEveryRecurrentLayer) {
  const Graph graph = build_zoo_model(GetParam()).value();
  const std::vector<std::uint32_t> label = cell_labels(graph);
  std::map<std::string, std::set<std::uint32_t>> labels_of;
  std::map<std::uint32_t, std::set<std::string>> modules_of;
  for (const OpId op : graph.ops()) {
    // A gradient of a parameter is added up over the steps, and a view may stand for a parameter.
    const OpId forward = graph.forward_of(op);
    if (graph.role(op) != Role::kCompute || (forward != kNoOp && graph.role(forward) != Role::kCompute)) continue;
    if (!is_step(graph.module(op))) {
      EXPECT_EQ(label[index(op)], kNoLabel) << graph.name(op);
      continue;
    }
    labels_of[graph.module(op)].insert(label[index(op)]);
    modules_of[label[index(op)]].insert(graph.module(op));
  }
  EXPECT_GT(labels_of.size(), 0U);
  for (const auto& [module, labels] : labels_of) {
    EXPECT_EQ(labels.size(), 1U) << module;
    EXPECT_FALSE(labels.contains(kNoLabel)) << module;
  }
  for (const auto& [cell, modules] : modules_of) EXPECT_EQ(modules.size(), 1U) << *modules.begin();
}

INSTANTIATE_TEST_SUITE_P(Models, Cells,
                         testing::Values("rnnlm,unroll=5", "rnnlm,unroll=5,gates=joined,dropout=0", "nmt-2,unroll=4",
                                         "nmt-4,unroll=3,attention=gnmt,gates=joined",
                                         "nmt-2,unroll=4,bidirectional=0,residual=0"),
                         [](const auto& param) { return fmt::format("model{}", param.index); });

// A simple recurrent network of three steps, with a layer behind it, where parameters alone name layers.
TEST(Cells, AreFoundWithoutNamesOfSteps) {
  GraphBuilder builder("rnn");
  const std::vector<TensorSpec> values{{DType::kF32, {4, 4}}};
  const auto parameter = [&](std::string_view name) {
    return builder.add({.name = name, .type = "parameter", .role = Role::kParameter, .outputs = values, .label = name});
  };
  const auto op = [&](const std::string& name, std::string_view type, std::vector<OutputRef> inputs) {
    return builder.add({.name = name, .type = type, .inputs = std::move(inputs), .outputs = values});
  };
  const OpId from_input = parameter("rnn.weight_ih_l0"), from_state = parameter("rnn.weight_hh_l0");
  const OpId head = parameter("head.weight");
  OpId state = builder.add({.name = "zero", .type = "constant", .role = Role::kConstant, .outputs = values});
  for (int t = 0; t < 3; ++t) {
    const OpId word =
        builder.add({.name = fmt::format("x{}", t), .type = "input", .role = Role::kInput, .outputs = values});
    const OpId noisy = op(fmt::format("noisy{}", t), "dropout", {{word, 0}});
    const OpId left = op(fmt::format("left{}", t), "matmul", {{noisy, 0}, {from_input, 0}});
    const OpId right = op(fmt::format("right{}", t), "matmul", {{state, 0}, {from_state, 0}});
    state = op(fmt::format("state{}", t), "add", {{left, 0}, {right, 0}});
    builder.mark_output({op(fmt::format("out{}", t), "matmul", {{state, 0}, {head, 0}}), 0});
  }
  const Graph graph = std::move(builder).build().value();
  const std::vector<std::uint32_t> label = cell_labels(graph);
  std::map<std::string, std::uint32_t> of;
  for (const OpId each : graph.ops()) of[std::string(graph.name(each))] = label[index(each)];
  for (const char t : {'0', '1', '2'}) {
    for (const std::string name : {"noisy", "left", "right"}) {
      EXPECT_EQ(of[name + t], of[std::string("state") + t]) << name;
    }
    EXPECT_EQ(of[std::string("out") + t], kNoLabel);
    EXPECT_NE(of[std::string("state") + t], kNoLabel);
  }
  EXPECT_NE(of["state0"], of["state1"]);
  EXPECT_NE(of["state1"], of["state2"]);
  EXPECT_EQ(of["zero"], of["state0"]);  // only the first step reads it
  EXPECT_EQ(of["rnn.weight_hh_l0"], kNoLabel);
}

TEST(Cells, ThereAreNoneWithoutRecurrence) {
  for (const std::string_view model : {"resnet-50", "gpt2,layers=2"}) {
    for (const std::uint32_t cell : cell_labels(build_zoo_model(model).value())) EXPECT_EQ(cell, kNoLabel) << model;
  }
}

TEST(Convs, TakeInWhatFollows) {
  const Graph graph = build_zoo_model("inception-v3").value();
  const std::vector<std::uint32_t> label = conv_labels(graph);
  std::map<std::string, std::uint32_t> of;
  for (const OpId op : graph.ops()) of[std::string(graph.name(op))] = label[index(op)];
  std::set<std::uint32_t> blocks(label.begin(), label.end());
  blocks.erase(kNoLabel);
  EXPECT_EQ(blocks.size(), 94U);  // one for every convolution
  const std::uint32_t block = of.at("stem.a.conv2.conv/conv2d");
  for (const auto& [name, other] : of) {
    if (name.starts_with("stem.a.conv2")) {
      EXPECT_EQ(other, block) << name;
    }
  }
  std::size_t pools = 0;
  for (const OpId op : graph.ops()) {
    if (graph.type(op) == "max_pool" && graph.module(op) == "stem") pools += label[index(op)] != kNoLabel;
    if (graph.type(op) == "concat" || graph.type(op) == "avg_pool") {
      EXPECT_EQ(label[index(op)], kNoLabel);
    }
  }
  EXPECT_EQ(pools, 2U);
}

TEST(Convs, StopAtASumOfTwoBlocks) {
  const Graph graph = build_zoo_model("resnet-50").value();
  const std::vector<std::uint32_t> label = conv_labels(graph);
  std::size_t sums = 0;
  for (const OpId op : graph.ops()) {
    if (graph.type(op) != "add") continue;
    EXPECT_EQ(label[index(op)], kNoLabel) << graph.name(op);
    ++sums;
  }
  EXPECT_EQ(sums, 16U);
}

}  // namespace
}  // namespace berth::learn

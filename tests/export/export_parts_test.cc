// SPDX-License-Identifier: Apache-2.0
// The parts that exports are made of: devices for nodes without ops, stages, paths of modules, rules for layers.
#include <gtest/gtest.h>

#include "base/text.h"
#include "export/lost.h"
#include "export/source_nodes.h"
#include "graph/module_path.h"
#include "import/plans/ort_settings.h"

namespace berth {
namespace {

// "a@0 b@1:a c:a,b": nodes with devices, and behind a colon what they read; '!' reads an input of the model.
struct Nodes {
  explicit Nodes(std::string_view text) {
    for (const std::string_view word : split(text, ' ')) {
      const auto parts = split(word, ':');
      const auto head = split(parts[0], '@');
      SourceNode node;
      if (head.size() > 1) node.device = DeviceId(static_cast<std::uint16_t>(head[1][0] - '0'));
      if (parts.size() > 1) {
        for (const std::string_view input : split(parts[1], ',')) {
          if (input == "!") {
            node.reads_input = true;
            continue;
          }
          for (std::uint32_t i = 0; i < names.size(); ++i) {
            if (names[i] == input) node.inputs.push_back(i);
          }
        }
      }
      names.emplace_back(head[0]);
      nodes.push_back(node);
    }
  }

  // "a0 b1 c?": where each is; constants in brackets.
  [[nodiscard]] std::string placed() const {
    const PlacedNodes result = place_source_nodes(nodes);
    std::string text;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const DeviceId device = result.device_of[i];
      const std::string where = device == kNoDevice ? "?" : std::to_string(index(device));
      text +=
          fmt::format("{}{}{} ", result.is_constant[i] ? "[" : "", names[i] + where, result.is_constant[i] ? "]" : "");
    }
    return text;
  }

  // "0:a,b 1:c": devices and nodes of the stages.
  [[nodiscard]] std::string stages() const {
    std::string text;
    for (const Stage& stage : make_stages(nodes, place_source_nodes(nodes))) {
      std::vector<std::string> members;
      for (const std::uint32_t node : stage.nodes) members.push_back(names[node]);
      text += fmt::format("{}:{} ", index(stage.device), join(members, ","));
    }
    return text;
  }

  std::vector<std::string> names;
  std::vector<SourceNode> nodes;
};

TEST(SourceNodes, ConstantsGoWithTheirFirstReader) {
  EXPECT_EQ(Nodes("k w x@1:!,k y@0:x,w").placed(), "[k1] [w0] x1 y0 ");
  EXPECT_EQ(Nodes("k cast:k x@1:!,cast").placed(), "[k1] [cast1] x1 ");
}

TEST(SourceNodes, OthersGoWithWhatTheyRead) {
  EXPECT_EQ(Nodes("x@1:! shape:x y@0:shape").placed(), "x1 shape1 y0 ");
  EXPECT_EQ(Nodes("shape:! x@1:shape").placed(), "shape1 x1 ") << "an input has no device of its own";
  EXPECT_EQ(Nodes("alone:!").placed(), "alone? ");
}

TEST(Stages, ContiguousBlocksAreOneStageEach) {
  EXPECT_EQ(Nodes("a@0:! b@0:a c@1:b d@1:c").stages(), "0:a,b 1:c,d ");
  EXPECT_EQ(Nodes("a@0:! b@1:a c@0:b").stages(), "0:a 1:b 0:c ") << "back and forth takes three";
}

TEST(Stages, WhatIsReadyEarlyWaitsForItsBlock) {
  // s could run at once on device 1, but belongs to the rest of device 1.
  EXPECT_EQ(Nodes("a@0:! s@1:! b@0:a c@1:b,s").stages(), "0:a,b 1:s,c ");
}

TEST(Stages, ConstantsAreInNone) { EXPECT_EQ(Nodes("k a@0:!,k b@1:a,k").stages(), "0:a 1:b "); }

TEST(ModulePath, BlocksEndAtTheFirstNumber) {
  EXPECT_EQ(block_of("encoder.layer.3.attention.self"), "encoder.layer.3");
  EXPECT_EQ(block_of("h.3.mlp.experts.5"), "h.3");
  EXPECT_EQ(block_of("embeddings.LayerNorm"), "embeddings.LayerNorm");
  EXPECT_EQ(block_of(""), "");
  EXPECT_TRUE(is_around("a.b", "a.b.c"));
  EXPECT_TRUE(is_around("", "a"));
  EXPECT_FALSE(is_around("a.b", "a.bc"));
  EXPECT_EQ(parent_of("a.b.c"), "a.b");
  EXPECT_EQ(parent_of("a"), "");
}

std::string device_for(std::string_view settings, std::string_view key, bool by_name = false) {
  return OrtSettings::parse(settings, by_name).value().device_for(key).value_or("none");
}

TEST(OrtSettings, PrefixesComeBeforeEqualsAndTheFirstOfThemCounts) {
  EXPECT_EQ(device_for("cpu(=encoder); gpu(enc)", "encoder"), "gpu");
  EXPECT_EQ(device_for("cpu(=encoder); gpu(=decoder)", "encoder"), "cpu");
  EXPECT_EQ(device_for("gpu:1(a, b); cpu(b)", "b2"), "gpu:1");
  EXPECT_EQ(device_for("cpu(=a)", "ab"), "none");
}

TEST(OrtSettings, OfNamesTheLongestPatternCounts) {
  EXPECT_EQ(device_for("cuda(layers.1); cpu(layers.16/)", "/model/layers.16/mlp", true), "cpu");
  EXPECT_EQ(device_for("cuda(layers.1); cpu(layers.16/)", "/model/layers.12/mlp", true), "cuda");
  EXPECT_EQ(OrtSettings::parse("cpu(=a)", true).error().message, "the rule \"cpu(=a)\": rules for names take no '='");
}

TEST(Lost, NamesTheFirstThree) {
  NamedSome ops;
  ops.add("a");
  EXPECT_EQ(ops.text("op", "ops"), R"(1 op ("a"))");
  for (const char* name : {"b", "c"}) ops.add(name);
  EXPECT_EQ(ops.text("op", "ops"), R"(3 ops ("a", "b", "c"))");
  ops.add("d");
  EXPECT_EQ(ops.text("op", "ops"), R"(4 ops ("a", "b", "c", ...))");
}

TEST(Lost, OrderAndFusionsAreNotedOnlyIfThePlanHasThem) {
  std::vector<std::string> notes;
  Plan plan{.device_of = {DeviceId(0), DeviceId(0)}, .priority = {}, .fusions = {}};
  note_order_and_fusions(plan, "X, which orders", notes);
  EXPECT_TRUE(notes.empty());
  plan.priority = {2.0, 1.0};
  note_order_and_fusions(plan, "X, which orders", notes);
  plan.fusions = {{OpId(0), OpId(1)}};
  note_order_and_fusions(plan, "X, which orders", notes);
  EXPECT_EQ(join(notes, "\n"),
            "the priorities of 2 ops are left to X, which orders\n"
            "the priorities of 2 ops and 1 fusion of 2 ops are left to X, which orders");
}

}  // namespace
}  // namespace berth

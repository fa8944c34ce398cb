// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "graph/builder.h"
#include "graph/structure_hash.h"

namespace berth {
namespace {

// A small graph as plain data, so that a test can change one thing about it.
struct Draft {
  std::string title = "toy";
  std::vector<OpSpec> ops = {
      {.name = "x", .type = "input", .role = Role::kInput, .outputs = {{DType::kF32, {2, 3}}}},
      {.name = "w", .type = "weight", .role = Role::kParameter, .outputs = {{DType::kF32, {3, 2}}}},
      {.name = "a",
       .type = "mm",
       .inputs = {{OpId{0}, 0}, {OpId{1}, 0}},
       .outputs = {{DType::kF32, {2, 2}}, {DType::kF32, {1}}},
       .flops = 24},
      {.name = "b", .type = "relu", .inputs = {{OpId{2}, 0}}, .outputs = {{DType::kF32, {2, 2}}}}};
  std::vector<std::pair<OpId, double>> times;
};

Graph graph_after(const std::function<void(Draft&)>& change) {
  Draft draft;
  change(draft);
  GraphBuilder builder(draft.title);
  for (const OpSpec& op : draft.ops) builder.add(op);
  for (const auto& [op, seconds] : draft.times) builder.set_measured("h200", op, seconds);
  return std::move(builder).build().value();
}

std::string hash_after(const std::function<void(Draft&)>& change) { return graph_after(change).structure_hash(); }

const std::string& plain_hash() {
  static const std::string hash = hash_after([](Draft&) {});
  return hash;
}

// Plan files carry it, so it must never change: not with the compiler, the platform or the version.
TEST(StructureHash, IsFixedForever) { EXPECT_EQ(plain_hash(), "ebf586aaba335ec6fca2bc119bec3a33"); }

TEST(StructureHash, ChangesWithStructure) {
  const std::vector<std::pair<const char*, std::function<void(Draft&)>>> changes{
      {"name", [](Draft& d) { d.ops[3].name = "c"; }},
      {"type", [](Draft& d) { d.ops[3].type = "gelu"; }},
      {"role", [](Draft& d) { d.ops[1].role = Role::kBuffer; }},
      {"another output of the same op",
       [](Draft& d) {
         d.ops[3].inputs = {{OpId{2}, 1}};
       }},
      {"another producer",
       [](Draft& d) {
         d.ops[3].inputs = {{OpId{0}, 0}};
       }},
      {"order of inputs", [](Draft& d) { std::swap(d.ops[2].inputs[0], d.ops[2].inputs[1]); }},
      {"repeated input",
       [](Draft& d) {
         d.ops[3].inputs.push_back({OpId{2}, 0});
       }},
      {"control edge", [](Draft& d) { d.ops[3].control_inputs = {OpId{0}}; }},
      {"dtype", [](Draft& d) { d.ops[3].outputs[0].dtype = DType::kI32; }},
      {"dimension",
       [](Draft& d) {
         d.ops[3].outputs[0].shape = {2, 4};
       }},
      {"rank", [](Draft& d) { d.ops[3].outputs[0].shape = {4}; }},
      {"order of dimensions",
       [](Draft& d) {
         d.ops[1].outputs[0].shape = {2, 3};
       }},
      {"one more output",
       [](Draft& d) {
         d.ops[3].outputs.push_back({DType::kF32, {}});
       }},
      {"one more op", [](Draft& d) { d.ops.push_back({.name = "c", .type = "relu"}); }},
      {"letters moved from name to type",
       [](Draft& d) {
         d.ops[3].name = "br";
         d.ops[3].type = "elu";
       }},
  };
  std::set<std::string> seen{plain_hash()};
  for (const auto& [what, change] : changes) {
    const std::string hash = hash_after(change);
    EXPECT_EQ(hash.size(), 32U);
    EXPECT_TRUE(seen.insert(hash).second) << what;
  }
}

TEST(StructureHash, DoesNotChangeWithCosts) {
  EXPECT_EQ(hash_after([](Draft& d) { d.ops[2].flops = 1e9; }), plain_hash());
  EXPECT_EQ(hash_after([](Draft& d) { d.ops[2].bytes_touched = 77; }), plain_hash());
  EXPECT_EQ(hash_after([](Draft& d) { d.times = {{OpId{2}, 0.5}}; }), plain_hash());
  EXPECT_EQ(hash_after([](Draft& d) { d.title = "another"; }), plain_hash());
  EXPECT_EQ(hash_after([](Draft& d) { d.ops[2].module = "layer.0"; }), plain_hash());
}

TEST(StructureHash, TellsManySmallChangesApart) {
  std::set<std::string> seen;
  for (std::int64_t rows = 0; rows < 2000; ++rows) {
    seen.insert(hash_after([&](Draft& d) { d.ops[3].outputs[0].shape = {rows, 2}; }));
  }
  EXPECT_EQ(seen.size(), 2000U);
}

TEST(DifferenceOfOps, NamesTheFirstAndSkipsSizes) {
  const auto difference = [](const std::function<void(Draft&)>& change) {
    return difference_of_ops(graph_after([](Draft&) {}), graph_after(change)).value_or("none");
  };
  EXPECT_EQ(difference([](Draft&) {}), "none");
  EXPECT_EQ(difference([](Draft& d) { d.ops[0].outputs[0].shape = {20, 3}; }), "none");
  EXPECT_EQ(difference([](Draft& d) { d.ops[2].flops = 7; }), "none");
  EXPECT_EQ(difference([](Draft& d) { d.ops.pop_back(); }), "one has 4 ops, the other 3");
  EXPECT_EQ(difference([](Draft& d) { d.ops[3].name = "c"; }), "op 3 is 'b' or 'c'");
  EXPECT_EQ(difference([](Draft& d) { d.ops[3].type = "gelu"; }), "op 'b' is of type 'relu' or 'gelu'");
  EXPECT_EQ(difference([](Draft& d) { std::swap(d.ops[2].inputs[0], d.ops[2].inputs[1]); }),
            "op 'a' has other inputs or outputs");
  EXPECT_EQ(difference([](Draft& d) { d.ops[2].outputs.pop_back(); }), "op 'a' has other inputs or outputs");
}

}  // namespace
}  // namespace berth

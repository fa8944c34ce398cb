// SPDX-License-Identifier: Apache-2.0
// The tables of a built graph: by hand, and on random graphs against a model that looks everything up the slow way.
#include "graph/graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/rng.h"
#include "graph/builder.h"
#include "graph/parts.h"

namespace berth {
namespace {

template <typename Range>
auto as_vector(const Range& range) {
  return std::vector(range.begin(), range.end());
}

TEST(Graph, EmptyGraphIsAGraph) {
  const auto graph = GraphBuilder("nothing").build();
  ASSERT_TRUE(graph.ok());
  EXPECT_EQ(graph->title(), "nothing");
  EXPECT_EQ(graph->num_ops(), 0U);
  EXPECT_EQ(graph->num_tensors(), 0U);
  EXPECT_EQ(graph->num_edges(), 0U);
  EXPECT_TRUE(graph->topological_order().empty());
  EXPECT_EQ(graph->structure_hash().size(), 32U);
}

TEST(Graph, KeepsFactsAboutOps) {
  GraphBuilder builder("toy");
  const OpId x = builder.add({.name = "x", .type = "input", .role = Role::kInput, .outputs = {{DType::kF16, {2, 3}}}});
  const OpId a = builder.add({.name = "a",
                              .type = "mm",
                              .inputs = {{x, 0}},
                              .outputs = {{DType::kI4, {5}}, {DType::kF64, {}}},
                              .flops = 12.0,
                              .module = "encoder.0",
                              .label = "weight",
                              .allowed = kind_bit(DeviceKind::kGpu)});
  const OpId g = builder.add({.name = "g", .type = "mm", .inputs = {{a, 1}}, .flops = 0.5, .forward_of = a});
  const Graph graph = std::move(builder).build().value();
  EXPECT_EQ(graph.name(a), "a");
  EXPECT_EQ(graph.type(a), "mm");
  EXPECT_EQ(graph.type_index(a), graph.type_index(g));
  EXPECT_EQ(as_vector(graph.types()), (std::vector<std::string>{"input", "mm"}));
  EXPECT_EQ(graph.role(x), Role::kInput);
  EXPECT_EQ(graph.module(a), "encoder.0");
  EXPECT_EQ(graph.module(x), "");
  EXPECT_EQ(graph.label(a), "weight");
  EXPECT_EQ(graph.label(g), "");
  EXPECT_EQ(graph.allowed_kinds(a), kind_bit(DeviceKind::kGpu));
  EXPECT_EQ(graph.allowed_kinds(x), kAnyKind);
  EXPECT_EQ(graph.forward_of(g), a);
  EXPECT_EQ(graph.forward_of(a), kNoOp);
  EXPECT_DOUBLE_EQ(graph.flops(a), 12.0);
  EXPECT_DOUBLE_EQ(graph.total_flops(), 12.5);
  EXPECT_EQ(as_vector(graph.shape(TensorId{0})), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(graph.dtype(TensorId{1}), DType::kI4);
  EXPECT_EQ(graph.bytes(TensorId{0}), 12);
  EXPECT_EQ(graph.bytes(TensorId{1}), 3);  // five times four bits, rounded up
  EXPECT_EQ(graph.bytes(TensorId{2}), 8);  // a scalar
  EXPECT_EQ(graph.source_nodes(), 3U);
  EXPECT_EQ(graph.source_edges(), 2U);
}

TEST(Graph, KeepsOrderAndRepeatsOfInputs) {
  GraphBuilder builder("toy");
  const OpId a = builder.add({.name = "a", .outputs = {kScalar, kScalar}});
  const OpId b = builder.add({.name = "b", .inputs = {{a, 1}, {a, 0}, {a, 1}}});
  const Graph graph = std::move(builder).build().value();
  EXPECT_EQ(as_vector(graph.inputs(b)), (std::vector<TensorId>{TensorId{1}, TensorId{0}, TensorId{1}}));
  EXPECT_EQ(as_vector(graph.distinct_inputs(b)), (std::vector<TensorId>{TensorId{0}, TensorId{1}}));
  EXPECT_EQ(as_vector(graph.consumers(TensorId{1})), (std::vector<OpId>{b}));
  EXPECT_EQ(graph.num_edges(), 2U);
}

TEST(Graph, TopologicalOrderTakesTheLowestFreeOpFirst) {
  GraphBuilder builder("toy");  // ids against the edges: 3 -> 0, 3 -> 1 -> 2, 4 free
  builder.add({.name = "0", .inputs = {{OpId{3}, 0}}});
  builder.add({.name = "1", .inputs = {{OpId{3}, 0}}, .outputs = {kScalar}});
  builder.add({.name = "2", .inputs = {{OpId{1}, 0}}});
  builder.add({.name = "3", .outputs = {kScalar}});
  builder.add({.name = "4"});
  const Graph graph = std::move(builder).build().value();
  EXPECT_EQ(as_vector(graph.topological_order()), (std::vector<OpId>{OpId{3}, OpId{0}, OpId{1}, OpId{2}, OpId{4}}));
}

TEST(Graph, SourceCountsMayDiffer) {
  GraphBuilder builder("toy");
  builder.add({.name = "a"});
  builder.set_source_counts(10, 20);
  const Graph graph = std::move(builder).build().value();
  EXPECT_EQ(graph.source_nodes(), 10U);
  EXPECT_EQ(graph.source_edges(), 20U);
}

// A file of one node has no edges between nodes, though the graph has some from weights.
TEST(Graph, ASourceMayHaveNoEdges) {
  GraphBuilder builder("toy");
  const OpId a = builder.add({.name = "a", .outputs = {kScalar}});
  builder.add({.name = "b", .inputs = {{a, 0}}});
  builder.set_source_counts(1, 0);
  const Graph graph = std::move(builder).build().value();
  EXPECT_EQ(graph.num_edges(), 1U);
  EXPECT_EQ(graph.source_edges(), 0U);
}

// What the builder was told, kept as it came.
struct NaiveGraph {
  std::vector<OpSpec> ops;
  std::vector<std::string> names;
  std::vector<OutputRef> marks;
};

// Edges lead along a random order of the ids, so ids are not topological.
NaiveGraph random_naive(Rng& rng) {
  NaiveGraph naive;
  const std::size_t count = 1 + rng.below(40);
  std::vector<std::uint32_t> order(count);
  for (std::uint32_t i = 0; i < count; ++i) order[i] = i;
  rng.shuffle(std::span(order));
  naive.ops.resize(count);
  for (std::size_t i = 0; i < count; ++i) naive.names.push_back(fmt::format("op{}", i));
  for (auto& op : naive.ops) {
    for (std::uint64_t n = rng.below(4); n > 0; --n) op.outputs.push_back({DType::kU8, {rng.between(0, 9)}});
  }
  for (std::size_t later = 1; later < count; ++later) {
    OpSpec& op = naive.ops[order[later]];
    for (std::uint64_t n = rng.below(5); n > 0; --n) {
      const OpId before{order[rng.below(later)]};
      const std::size_t outputs = naive.ops[index(before)].outputs.size();
      if (outputs > 0) op.inputs.push_back({before, static_cast<int>(rng.below(outputs))});
    }
    for (std::uint64_t n = rng.below(3); n > 0; --n) op.control_inputs.push_back(OpId{order[rng.below(later)]});
  }
  for (std::size_t i = 0; i < count; ++i) {
    naive.ops[i].name = naive.names[i];
    const std::size_t outputs = naive.ops[i].outputs.size();
    if (outputs > 0 && rng.chance(0.2)) naive.marks.push_back({OpId(i), static_cast<int>(rng.below(outputs))});
  }
  return naive;
}

Graph build(const NaiveGraph& naive) {
  GraphBuilder builder("random");
  builder.reserve(naive.ops.size());
  for (const OpSpec& op : naive.ops) builder.add(op);
  for (const OutputRef& mark : naive.marks) {
    builder.mark_output(mark);
    builder.mark_output(mark);  // twice is once
  }
  return std::move(builder).build().value();
}

// Lowest id first among the ops all of whose predecessors are out, found by trying them all.
std::vector<OpId> naive_order(const NaiveGraph& naive) {
  std::vector<OpId> order;
  std::set<OpId> out;
  const auto free = [&](const OpSpec& op) {
    return std::all_of(op.inputs.begin(), op.inputs.end(), [&](OutputRef ref) { return out.contains(ref.op); }) &&
           std::all_of(op.control_inputs.begin(), op.control_inputs.end(), [&](OpId id) { return out.contains(id); });
  };
  while (order.size() < naive.ops.size()) {
    for (const OpId op : ids<OpId>(naive.ops.size())) {
      if (out.contains(op) || !free(naive.ops[index(op)])) continue;
      order.push_back(op);
      out.insert(op);
      break;
    }
  }
  return order;
}

void expect_edges_agree(const NaiveGraph& naive, const Graph& graph) {
  const auto tensor = [&](OutputRef ref) { return graph.outputs(ref.op)[static_cast<std::size_t>(ref.output)]; };
  std::map<TensorId, std::set<OpId>> consumers;
  std::map<OpId, std::set<OpId>> control_outputs;
  for (const OpId op : graph.ops()) {
    const OpSpec& spec = naive.ops[index(op)];
    std::vector<TensorId> inputs;
    for (const OutputRef& ref : spec.inputs) inputs.push_back(tensor(ref));
    ASSERT_EQ(as_vector(graph.inputs(op)), inputs);
    const std::set<TensorId> distinct(inputs.begin(), inputs.end());
    ASSERT_EQ(as_vector(graph.distinct_inputs(op)), as_vector(distinct));
    for (const TensorId id : distinct) consumers[id].insert(op);
    const std::set<OpId> control(spec.control_inputs.begin(), spec.control_inputs.end());
    ASSERT_EQ(as_vector(graph.control_inputs(op)), as_vector(control));
    for (const OpId before : control) control_outputs[before].insert(op);
  }
  std::size_t edges = 0;
  for (const TensorId id : graph.tensors()) {
    ASSERT_EQ(as_vector(graph.consumers(id)), as_vector(consumers[id]));
    edges += consumers[id].size();
  }
  ASSERT_EQ(graph.num_edges(), edges);
  for (const OpId op : graph.ops()) ASSERT_EQ(as_vector(graph.control_outputs(op)), as_vector(control_outputs[op]));
}

void expect_tensors_agree(const NaiveGraph& naive, const Graph& graph) {
  std::uint32_t next = 0;
  for (const OpId op : graph.ops()) {
    const auto& outputs = naive.ops[index(op)].outputs;
    ASSERT_EQ(graph.outputs(op).size(), outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i, ++next) {
      const TensorId id{next};
      ASSERT_EQ(graph.outputs(op)[i], id);
      ASSERT_EQ(graph.producer(id), op);
      ASSERT_EQ(graph.output_index(id), static_cast<int>(i));
      ASSERT_EQ(as_vector(graph.shape(id)), outputs[i].shape);
      ASSERT_EQ(graph.bytes(id), outputs[i].shape[0]);
      const bool marked = std::count(naive.marks.begin(), naive.marks.end(), OutputRef{op, static_cast<int>(i)}) > 0;
      ASSERT_EQ(graph.is_graph_output(id), marked);
    }
  }
  ASSERT_EQ(graph.num_tensors(), next);
  ASSERT_EQ(graph.graph_outputs().size(), naive.marks.size());
  ASSERT_TRUE(std::is_sorted(graph.graph_outputs().begin(), graph.graph_outputs().end()));
}

TEST(Graph, TablesAgreeWithANaiveModelOnRandomGraphs) {
  Rng rng(1);
  for (int round = 0; round < 500; ++round) {
    SCOPED_TRACE(round);
    const NaiveGraph naive = random_naive(rng);
    const Graph graph = build(naive);
    ASSERT_EQ(graph.num_ops(), naive.ops.size());
    for (const OpId op : graph.ops()) ASSERT_EQ(graph.name(op), naive.names[index(op)]);
    expect_edges_agree(naive, graph);
    expect_tensors_agree(naive, graph);
    ASSERT_EQ(as_vector(graph.topological_order()), naive_order(naive));
    if (testing::Test::HasFatalFailure()) return;
  }
}

// What is there from the start waits for nothing, whatever the file says.
TEST(Graph, DropsControlEdgesIntoSources) {
  GraphBuilder builder("sources");
  const OpId a = builder.add({.name = "a"});
  for (const Role role : {Role::kParameter, Role::kBuffer, Role::kConstant, Role::kInput}) {
    builder.add({.name = name_of(role), .role = role, .control_inputs = {a}, .outputs = {{}}});
  }
  builder.add({.name = "b", .control_inputs = {a}});
  const Graph graph = std::move(builder).build().value();
  ASSERT_EQ(graph.control_outputs(a).size(), 1U);
  EXPECT_EQ(graph.name(graph.control_outputs(a).front()), "b");
}

}  // namespace
}  // namespace berth

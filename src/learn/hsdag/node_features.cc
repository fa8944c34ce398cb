// SPDX-License-Identifier: Apache-2.0
#include "learn/hsdag/node_features.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "graph/hsdag.h"

namespace berth::learn {
namespace {

constexpr std::size_t kMostDegrees = 32;        // columns; all larger ones share the last
constexpr std::size_t kExactDimensions = 5000;  // nodes up to which the whole graph counts
constexpr std::size_t kNeighbourhood = 500;     // nodes that count in larger graphs
constexpr double kWaveBase = 10000.0;

std::vector<DirectedEdge> edges_of(const Graph& graph) {
  std::vector<DirectedEdge> edges;
  for (const OpId op : graph.ops()) {
    for (const TensorId tensor : graph.distinct_inputs(op))
      edges.emplace_back(index(graph.producer(tensor)), index(op));
    for (const OpId before : graph.control_inputs(op)) edges.emplace_back(index(before), index(op));
  }
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

std::vector<DirectedEdge> edges_of(const Items& items) {
  std::vector<DirectedEdge> edges;
  for (const Items::Edge& edge : items.edges) edges.emplace_back(edge.from, edge.to);
  return edges;
}

// Columns side by side.
class RowBuilder {
 public:
  explicit RowBuilder(std::size_t count) : columns_(count) {}
  void add(std::size_t row, float value) { columns_[row].push_back(value); }
  void add(const Rows& rows) {
    for (std::size_t row = 0; row < rows.count; ++row) {
      for (std::size_t i = 0; i < rows.width; ++i) add(row, rows.at(row, i));
    }
  }
  // One column per distinct value, at most kMostDegrees of them.
  void add_one_hot(const std::vector<std::uint32_t>& values) {
    std::map<std::uint32_t, std::size_t> column;
    for (const std::uint32_t value : values) column.emplace(value, 0);
    std::size_t next = 0;
    for (auto& [value, place] : column) place = std::min(next++, kMostDegrees - 1);
    const std::size_t width = std::min(column.size(), kMostDegrees);
    for (std::size_t row = 0; row < values.size(); ++row) {
      for (std::size_t i = 0; i < width; ++i) add(row, column.at(values[row]) == i ? 1.0F : 0.0F);
    }
  }
  [[nodiscard]] Rows finish() const {
    Rows rows(columns_.size(), columns_.empty() ? 0 : columns_.front().size());
    for (std::size_t row = 0; row < rows.count; ++row) {
      std::ranges::copy(columns_[row], rows.values.begin() + static_cast<std::ptrdiff_t>(row * rows.width));
    }
    return rows;
  }

 private:
  std::vector<std::vector<float>> columns_;
};

void add_types(RowBuilder& builder, Rows types) {
  for (std::size_t row = 0; row < types.count; ++row) {
    float sum = 0.0F;
    for (std::size_t i = 0; i < types.width; ++i) sum += types.at(row, i);
    for (std::size_t i = 0; i < types.width; ++i) types.at(row, i) /= std::max(sum, 1.0F);
  }
  builder.add(types);
}

void add_degrees(RowBuilder& builder, const Items& items) {
  std::vector<std::uint32_t> in(items.size()), out(items.size());
  for (const Items::Edge& edge : items.edges) {
    ++out[edge.from];
    ++in[edge.to];
  }
  builder.add_one_hot(in);
  builder.add_one_hot(out);
}

void add_dimensions(RowBuilder& builder, const Items& items) {
  const std::size_t most = items.size() <= kExactDimensions ? kAllNodes : kNeighbourhood;
  const std::vector<double> dimensions = fractal_dimensions(items.size(), edges_of(items), most);
  for (std::size_t row = 0; row < dimensions.size(); ++row) builder.add(row, static_cast<float>(dimensions[row]));
}

// Items stand in topological order.
void add_positions(RowBuilder& builder, std::size_t count, const HsdagOptions& options) {
  for (std::size_t row = 0; row < count; ++row) {
    const auto position = static_cast<double>(row + 1);
    if (options.position == Position::kIndex) {
      builder.add(row, static_cast<float>(options.raw_features ? position : position / static_cast<double>(count)));
      continue;
    }
    for (int i = 0; i < options.position_size; i += 2) {
      const double angle = position / std::pow(kWaveBase, static_cast<double>(i) / options.position_size);
      builder.add(row, static_cast<float>(std::sin(angle)));
      builder.add(row, static_cast<float>(std::cos(angle)));
    }
  }
}

// First output of the last op, as the paper has it, zero-padded to the longest.
void add_shapes(RowBuilder& builder, const Problem& problem, std::span<const std::vector<OpId>> ops, bool raw) {
  const Graph& graph = problem.graph();
  const auto shape_of = [&](std::size_t row) -> std::span<const std::int64_t> {
    const auto outputs = graph.outputs(ops[row].back());
    return outputs.empty() ? std::span<const std::int64_t>() : graph.shape(outputs[0]);
  };
  std::size_t rank = 0;
  for (std::size_t row = 0; row < ops.size(); ++row) rank = std::max(rank, shape_of(row).size());
  for (std::size_t row = 0; row < ops.size(); ++row) {
    const auto shape = shape_of(row);
    for (std::size_t i = 0; i < rank; ++i) {
      const double size = i < shape.size() ? static_cast<double>(shape[i]) : 0.0;
      builder.add(row, static_cast<float>(raw ? size : std::log1p(size) / 10.0));
    }
  }
}

}  // namespace

Grouping coarsen(const Problem& problem, Coarsening rule) {
  const Grouping units = one_group_per_unit(problem);
  if (rule == Coarsening::kNone) return units;
  const Graph& graph = problem.graph();
  const ColocationSets sets =
      find_colocation_sets(graph.num_ops(), edges_of(graph),
                           rule == Coarsening::kMutual ? ColocationRule::kMutual : ColocationRule::kSoleParent);
  return join_equal_labels(problem, units, sets.of_node);
}

Rows node_features(const Problem& problem, const Items& items, const HsdagOptions& options) {
  FeatureOptions plain = options;
  plain.neighbours = NeighbourFeature::kNone;  // the graph network sees those
  plain.outputs = 0;
  const ItemFeatures features = features_of_items(problem, items, plain);
  const std::vector<std::vector<OpId>> ops = ops_of_items(problem, items);
  RowBuilder builder(items.size());
  if (options.type_feature != TypeFeature::kNone) add_types(builder, features.types);
  if (options.degrees) add_degrees(builder, items);
  if (options.fractal) add_dimensions(builder, items);
  if (options.position != Position::kNone) add_positions(builder, items.size(), options);
  if (options.node_shapes) add_shapes(builder, problem, ops, options.raw_features);
  builder.add(features.costs);
  Rows rows = builder.finish();
  return rows.width > 0 ? rows : Rows(items.size(), 1);
}

}  // namespace berth::learn

// SPDX-License-Identifier: Apache-2.0
#include "learn/features/features.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace berth::learn {
namespace {

float log_feature(double value) { return static_cast<float>(std::log1p(std::max(value, 0.0)) / 10.0); }

// Column of every type of the graph: the most common ones each their own, all others the last.
std::vector<std::size_t> type_columns(const Graph& graph, int max_types) {
  std::vector<std::size_t> counts(graph.types().size());
  for (const OpId op : graph.ops()) ++counts[graph.type_index(op)];
  std::vector<std::size_t> order(counts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
  std::vector<std::size_t> column(counts.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    column[order[i]] = std::min(i, static_cast<std::size_t>(max_types) - 1);
  return column;
}

Rows count_types(const Problem& problem, std::span<const std::vector<OpId>> ops, int max_types) {
  const std::vector<std::size_t> column = type_columns(problem.graph(), max_types);
  const std::size_t width = column.empty() ? 1 : *std::ranges::max_element(column) + 1;
  Rows types(ops.size(), width);
  for (std::size_t item = 0; item < ops.size(); ++item) {
    for (const OpId op : ops[item]) types.at(item, column[problem.graph().type_index(op)]) += 1.0F;
  }
  return types;
}

// The op that stands for an item where one has to: most arithmetic, then most output.
OpId heaviest(const Graph& graph, std::span<const OpId> ops) {
  const auto output = [&](OpId op) {
    Bytes bytes = 0;
    for (const TensorId tensor : graph.outputs(op)) bytes += graph.bytes(tensor);
    return bytes;
  };
  return *std::ranges::max_element(ops, {}, [&](OpId op) { return std::pair(graph.flops(op), output(op)); });
}

Rows read_shapes(const Graph& graph, std::span<const std::vector<OpId>> ops, const FeatureOptions& options) {
  const auto dims = static_cast<std::size_t>(options.dims);
  Rows shapes(ops.size(), static_cast<std::size_t>(options.outputs) * dims);
  std::ranges::fill(shapes.values, -1.0F);
  if (shapes.width == 0) return shapes;
  for (std::size_t item = 0; item < ops.size(); ++item) {
    std::size_t output = 0;
    for (const TensorId tensor : graph.outputs(heaviest(graph, ops[item]))) {
      const auto shape = graph.shape(tensor);
      for (std::size_t d = 0; d < std::min(shape.size(), dims); ++d) {
        shapes.at(item, output * dims + d) = log_feature(static_cast<double>(shape[d]));
      }
      if (++output == static_cast<std::size_t>(options.outputs)) break;
    }
  }
  return shapes;
}

// Plain sums: the four costs, then seconds on every device.
Rows add_up_costs(const Problem& problem, const Items& items, std::span<const std::vector<OpId>> ops) {
  const Graph& graph = problem.graph();
  const std::size_t devices = problem.machine().num_devices();
  Rows sums(ops.size(), kCosts + devices);
  for (std::size_t item = 0; item < ops.size(); ++item) {
    for (const OpId op : ops[item]) {
      sums.at(item, 0) += static_cast<float>(graph.flops(op));
      sums.at(item, 1) += static_cast<float>(problem.resident_bytes(op));
      for (const TensorId tensor : graph.outputs(op)) sums.at(item, 2) += static_cast<float>(graph.bytes(tensor));
      for (const DeviceId device : problem.machine().device_ids()) {
        sums.at(item, kCosts + index(device)) += static_cast<float>(seconds_on(problem, op, device));
      }
    }
  }
  for (const Items::Edge& edge : items.edges) {
    sums.at(edge.from, 3) += static_cast<float>(edge.bytes);
    sums.at(edge.to, 3) += static_cast<float>(edge.bytes);
  }
  return sums;
}

// Logarithms of sums; times as shares of the whole work on that device. What the options leave out is left out.
Rows scaled_costs(const Rows& sums, std::span<const double> device_total, const FeatureOptions& options) {
  const std::size_t first = options.cost_features ? 0 : kCosts;
  const std::size_t end = options.device_features ? sums.width : kCosts;
  Rows costs(sums.count, end - std::min(first, end));
  for (std::size_t row = 0; row < sums.count; ++row) {
    for (std::size_t i = first; i < end; ++i) {
      const auto sum = static_cast<double>(sums.at(row, i));
      const double total = i < kCosts ? 0.0 : device_total[i - kCosts];
      costs.at(row, i - first) =
          i < kCosts ? log_feature(sum) / 2.0F : static_cast<float>(std::sqrt(total > 0.0 ? sum / total : 0.0));
    }
  }
  return costs;
}

std::vector<double> totals_per_device(const Rows& sums) {
  std::vector<double> totals(sums.width - kCosts);
  for (std::size_t row = 0; row < sums.count; ++row) {
    for (std::size_t i = 0; i < totals.size(); ++i) totals[i] += sums.at(row, kCosts + i);
  }
  return totals;
}

// A few neighbours by their places in topological order, as the papers have them. `slots` in and as many out.
Rows slot_neighbours(const Items& items, int slots, bool is_signed) {
  const auto count = static_cast<std::size_t>(slots);
  const double scale = items.size() > 1 ? 1.0 / static_cast<double>(items.size() - 1) : 0.0;
  Rows rows(items.size(), 2 * count);
  std::ranges::fill(rows.values, is_signed ? 0.0F : -1.0F);
  std::vector<std::size_t> in(items.size()), out(items.size());
  // Signed: pairs of (place, +1 or -1), producers and consumers as they come. Else: `slots` in, then `slots` out.
  const auto put = [&](std::uint32_t item, std::uint32_t other, bool consumer) {
    const auto place = static_cast<float>(other * scale);
    std::size_t& used = is_signed || !consumer ? in[item] : out[item];
    if (used >= count) return;
    if (is_signed) {
      rows.at(item, 2 * used) = place;
      rows.at(item, 2 * used + 1) = consumer ? 1.0F : -1.0F;
    } else {
      rows.at(item, consumer ? count + used : used) = place;
    }
    ++used;
  };
  for (const Items::Edge& edge : items.edges) {
    put(edge.from, edge.to, true);
    put(edge.to, edge.from, false);
  }
  return rows;
}

// Means over all neighbours, in and out, of types, shapes, costs and places; and the item's own place as a wave.
Rows aggregated_neighbours(const Items& items, const ItemFeatures& features, const FeatureOptions& options) {
  constexpr std::array kWaveCounts{1.0F, 2.0F, 4.0F, 8.0F, 16.0F};
  std::vector<const Rows*> parts{&features.shapes, &features.costs};
  if (options.type_feature != TypeFeature::kNone) parts.push_back(&features.types);
  std::size_t width = 1;
  for (const Rows* part : parts) width += part->width;
  Rows rows(items.size(), 2 * width + 2 * kWaveCounts.size());
  std::vector<float> in(items.size()), out(items.size());
  const auto add = [&](std::uint32_t item, std::uint32_t other, std::size_t column) {
    rows.at(item, column++) += features.place[other];
    for (const Rows* part : parts) {
      for (std::size_t i = 0; i < part->width; ++i) {
        const float value = part->at(other, i);
        rows.at(item, column++) += part == &features.types ? std::log1p(value) : value;
      }
    }
  };
  for (const Items::Edge& edge : items.edges) {
    add(edge.to, edge.from, 0);
    add(edge.from, edge.to, width);
    in[edge.to] += 1.0F;
    out[edge.from] += 1.0F;
  }
  for (std::size_t item = 0; item < items.size(); ++item) {
    for (std::size_t i = 0; i < width; ++i) {
      if (in[item] > 0.0F) rows.at(item, i) /= in[item];
      if (out[item] > 0.0F) rows.at(item, width + i) /= out[item];
    }
    for (std::size_t i = 0; i < kWaveCounts.size(); ++i) {
      const float angle = 3.14159265F * kWaveCounts[i] * features.place[item];
      rows.at(item, 2 * width + 2 * i) = std::sin(angle);
      rows.at(item, 2 * width + 2 * i + 1) = std::cos(angle);
    }
  }
  return rows;
}

}  // namespace

double seconds_on(const Problem& problem, OpId op, DeviceId device) {
  const DeviceSet allowed = problem.allowed(op);
  if ((allowed & device_bit(device)) != 0) return to_seconds(problem.duration(op, device));
  Picoseconds slowest = 0;
  for (const DeviceId other : problem.machine().device_ids()) {
    if ((allowed & device_bit(other)) != 0) slowest = std::max(slowest, problem.duration(op, other));
  }
  return to_seconds(slowest);
}

ItemFeatures features_of_items(const Problem& problem, const Items& items, const FeatureOptions& options) {
  const std::vector<std::vector<OpId>> ops = ops_of_items(problem, items);
  const Rows sums = add_up_costs(problem, items, ops);
  ItemFeatures features{count_types(problem, ops, options.max_types),
                        read_shapes(problem.graph(), ops, options),
                        scaled_costs(sums, totals_per_device(sums), options),
                        sums,
                        Rows(items.size(), 0),
                        {}};
  for (std::size_t i = 0; i < items.size(); ++i)
    features.place.push_back(items.size() > 1 ? static_cast<float>(i) / static_cast<float>(items.size() - 1) : 0.0F);
  const bool is_signed = options.neighbours == NeighbourFeature::kSigned;
  if (is_signed || options.neighbours == NeighbourFeature::kSlots)
    features.adjacency = slot_neighbours(items, options.neighbour_slots, is_signed);
  if (options.neighbours == NeighbourFeature::kAggregate)
    features.adjacency = aggregated_neighbours(items, features, options);
  return features;
}

}  // namespace berth::learn

// SPDX-License-Identifier: Apache-2.0
#include "learn/hierarchical/group_features.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace berth::learn {
namespace {

struct Columns {  // where the parts of a group's row begin
  std::size_t adjacency = 0, types = 0, shapes = 0, costs = 0, times = 0, width = 0;
};

Columns columns_of(const ItemFeatures& features, std::size_t groups, const PlacementOptions& options) {
  Columns columns;
  columns.types = options.adjacency == Adjacency::kCounts   ? 2 * groups
                  : options.adjacency == Adjacency::kBinary ? groups
                                                            : 0;
  columns.shapes = columns.types + (options.group_types ? features.types.width : 0);
  columns.costs = columns.shapes + (options.group_shapes ? features.shapes.width : 0);
  // The costs, and the mean place in topological order; then the seconds on every device.
  columns.times = columns.costs + (options.cost_features ? kCosts + 1 : 0);
  columns.width = columns.times + (options.device_features ? features.sums.width - kCosts : 0);
  return columns;
}

void add_adjacency(Rows& rows, const Items& items, std::span<const std::uint32_t> group_of, std::size_t groups,
                   bool binary) {
  for (const Items::Edge& edge : items.edges) {
    const std::uint32_t from = group_of[edge.from], to = group_of[edge.to];
    if (binary) {
      rows.at(from, to) = 1.0F;
    } else {
      rows.at(from, to) += 1.0F;
      rows.at(to, groups + from) += 1.0F;
    }
  }
}

void add_items(Rows& rows, std::size_t column, const Rows& part, std::span<const std::uint32_t> group_of) {
  for (std::size_t item = 0; item < part.count; ++item) {
    float* row = &rows.values[group_of[item] * rows.width + column];
    const float* values = &part.values[item * part.width];
    for (std::size_t i = 0; i < part.width; ++i) row[i] += std::max(values[i], 0.0F);  // absent shapes are -1
  }
}

// Divides a stretch of every row by its maximum, plus one: counts end up between 0 and 1.
void scale_rows(Rows& rows, std::size_t begin, std::size_t end) {
  for (std::size_t row = 0; row < rows.count; ++row) {
    float most = 0.0F;
    for (std::size_t i = begin; i < end; ++i) most = std::max(most, rows.at(row, i));
    for (std::size_t i = begin; i < end; ++i) rows.at(row, i) /= most + 1.0F;
  }
}

// Flops and bytes as logarithms, seconds as shares of all.
void scale_costs(Rows& rows) {
  for (std::size_t i = 0; i < rows.width; ++i) {
    double total = 0.0;
    for (std::size_t row = 0; row < rows.count; ++row) total += static_cast<double>(rows.at(row, i));
    for (std::size_t row = 0; row < rows.count; ++row) {
      float& value = rows.at(row, i);
      const double share = total > 0.0 ? static_cast<double>(value) / total : 0.0;
      value = i < kCosts ? std::log1p(value) / 20.0F : static_cast<float>(std::sqrt(share));
    }
  }
}

void add_places(Rows& rows, std::size_t column, std::span<const float> place, std::span<const std::uint32_t> group_of) {
  std::vector<float> count(rows.count);
  for (std::size_t item = 0; item < place.size(); ++item) {
    rows.at(group_of[item], column) += place[item];
    count[group_of[item]] += 1.0F;
  }
  for (std::size_t row = 0; row < rows.count; ++row) {
    if (count[row] > 0.0F) rows.at(row, column) /= count[row];
  }
}

}  // namespace

std::size_t group_width(const ItemFeatures& features, std::size_t groups, const PlacementOptions& options) {
  return std::max<std::size_t>(columns_of(features, groups, options).width, 1);
}

Rows embed_groups(const Items& items, const ItemFeatures& features, std::span<const std::uint32_t> group_of_item,
                  std::size_t groups, const PlacementOptions& options) {
  const Columns columns = columns_of(features, groups, options);
  Rows rows(groups, group_width(features, groups, options));
  if (columns.types > 0) add_adjacency(rows, items, group_of_item, groups, options.adjacency == Adjacency::kBinary);
  if (columns.shapes > columns.types) add_items(rows, columns.types, features.types, group_of_item);
  if (columns.costs > columns.shapes) add_items(rows, columns.shapes, features.shapes, group_of_item);
  scale_rows(rows, 0, columns.types);
  scale_rows(rows, columns.types, columns.shapes);
  scale_rows(rows, columns.shapes, columns.costs);
  if (columns.width == columns.costs) return rows;
  Rows sums(groups, features.sums.width);
  add_items(sums, 0, features.sums, group_of_item);
  scale_costs(sums);
  for (std::size_t row = 0; row < groups; ++row) {
    const float* from = &sums.values[row * sums.width];
    float* to = &rows.values[row * rows.width];
    if (options.cost_features) std::copy(from, from + kCosts, to + columns.costs);
    if (options.device_features) std::copy(from + kCosts, from + sums.width, to + columns.times);
  }
  if (options.cost_features) add_places(rows, columns.costs + kCosts, features.place, group_of_item);
  return rows;
}

PlacedInput placed_input(const Problem& problem, const Items& items, const ItemFeatures& features,
                         std::span<const std::uint32_t> group_of_item, std::size_t groups,
                         std::span<const DeviceId> devices) {
  PlacedInput input{Rows(groups, groups), Rows(groups, devices.size()), Rows(groups, devices.size())};
  for (const Items::Edge& edge : items.edges) {
    const std::uint32_t a = group_of_item[edge.from], b = group_of_item[edge.to];
    if (a == b) continue;
    input.neighbours.at(a, b) += static_cast<float>(edge.bytes);
    input.neighbours.at(b, a) += static_cast<float>(edge.bytes);
  }
  for (std::size_t row = 0; row < groups; ++row) {
    float sum = 0.0F;
    for (std::size_t i = 0; i < groups; ++i) sum += input.neighbours.at(row, i);
    for (std::size_t i = 0; i < groups && sum > 0.0F; ++i) input.neighbours.at(row, i) /= sum;
  }
  Rows sums(groups, features.sums.width);
  add_items(sums, 0, features.sums, group_of_item);
  double quickest = 0.0;
  for (std::size_t row = 0; row < groups; ++row) {
    float least = std::numeric_limits<float>::max();
    for (const DeviceId device : devices) least = std::min(least, sums.at(row, kCosts + index(device)));
    quickest += static_cast<double>(least);
  }
  const double share = std::max(quickest / static_cast<double>(devices.size()), 1e-12);
  for (std::size_t row = 0; row < groups; ++row) {
    const double bytes = static_cast<double>(sums.at(row, 1)) + static_cast<double>(sums.at(row, 2));
    for (std::size_t i = 0; i < devices.size(); ++i) {
      const auto capacity = std::max(static_cast<double>(problem.capacity(devices[i])), 1.0);
      input.time.at(row, i) = static_cast<float>(sums.at(row, kCosts + index(devices[i])) / share);
      input.memory.at(row, i) = static_cast<float>(bytes / capacity);
    }
  }
  return input;
}

}  // namespace berth::learn

// SPDX-License-Identifier: Apache-2.0
// What policies see of items, groups and devices, as plain rows of numbers. Sizes and counts enter as logarithms, so
// that none of them saturates a layer.
#pragma once

#include <cstdint>
#include <vector>

#include "learn/items.h"
#include "runs/options.h"

namespace berth::learn {

struct Rows {  // row after row
  std::size_t count = 0, width = 0;
  std::vector<float> values;
  Rows(std::size_t rows, std::size_t columns) : count(rows), width(columns), values(rows * columns) {}
  [[nodiscard]] float& at(std::size_t row, std::size_t column) { return values[row * width + column]; }
  [[nodiscard]] float at(std::size_t row, std::size_t column) const { return values[row * width + column]; }
};

inline constexpr std::size_t kCosts = 4;  // flops, parameter, output and crossing bytes

struct ItemFeatures {
  Rows types;      // how many ops of each type, the most common first and the rest in the last column
  Rows shapes;     // outputs x dims of the item's heaviest op, as log(1 + size); absent: -1
  Rows costs;      // as the options say: flops and bytes as logarithms; seconds on every device as shares of all
  Rows sums;       // all of these in plain numbers, kCosts first, to be added up over a group
  Rows adjacency;  // what Options::neighbours says
  std::vector<float> place;  // in topological order, 0 to 1
};
ItemFeatures features_of_items(const Problem& problem, const Items& items, const Options& options);

// Embedding of every group for the Placer, as options say: adjacency, types, shapes, costs, times on devices.
Rows embed_groups(const Items& items, const ItemFeatures& features, std::span<const std::uint32_t> group_of_item,
                  std::size_t groups, const Options& options);
std::size_t group_width(const ItemFeatures& features, std::size_t groups, const Options& options);

// What a decoder needs to keep count of what it has placed so far.
struct PlacedInput {
  Rows neighbours;  // [groups, groups]: share of the bytes a group exchanges that it exchanges with each other group
  Rows time;        // [groups, devices]: seconds on each device, in equal shares of the quickest way to do all
  Rows memory;      // [groups, devices]: its bytes as a share of the device's memory
};
PlacedInput placed_input(const Problem& problem, const Items& items, const ItemFeatures& features,
                         std::span<const std::uint32_t> group_of_item, std::size_t groups,
                         std::span<const DeviceId> devices);

// Seconds of an op on a device; where it may not run, those of the slowest device where it may, so that a device does
// not look quick for what it cannot do.
double seconds_on(const Problem& problem, OpId op, DeviceId device);

// Speed, memory and links of every device, each as a share of the largest.
Rows features_of_devices(const Problem& problem, std::span<const DeviceId> devices);

// Logarithm of the share of the work that each device would take by its speed, capped by what its memory holds.
std::vector<float> log_start_shares(const Problem& problem, std::span<const DeviceId> devices);

}  // namespace berth::learn

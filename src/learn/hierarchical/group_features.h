// SPDX-License-Identifier: Apache-2.0
// What a Placer sees of groups.
#pragma once

#include <cstdint>
#include <span>

#include "learn/features/features.h"
#include "runs/methods/placement.h"

namespace berth::learn {

// Embedding of every group for the Placer, as options say: adjacency, types, shapes, costs, times on devices.
Rows embed_groups(const Items& items, const ItemFeatures& features, std::span<const std::uint32_t> group_of_item,
                  std::size_t groups, const PlacementOptions& options);
std::size_t group_width(const ItemFeatures& features, std::size_t groups, const PlacementOptions& options);

// What a decoder needs to keep count of what it has placed so far.
struct PlacedInput {
  Rows neighbours;  // [groups, groups]: share of the bytes a group exchanges that it exchanges with each other group
  Rows time;        // [groups, devices]: seconds on each device, in equal shares of the quickest way to do all
  Rows memory;      // [groups, devices]: its bytes as a share of the device's memory
};
PlacedInput placed_input(const Problem& problem, const Items& items, const ItemFeatures& features,
                         std::span<const std::uint32_t> group_of_item, std::size_t groups,
                         std::span<const DeviceId> devices);

}  // namespace berth::learn

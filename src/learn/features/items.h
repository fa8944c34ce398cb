// SPDX-License-Identifier: Apache-2.0
// Items: what a policy decides on. An item is a unit of the problem (ops that must share a device), or a small cluster
// of units joined beforehand; items that may be on one device alone are not decided, as in Google's code, unless more
// than a device is to be decided for them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "plan/coarsen/grouping.h"

namespace berth::learn {

struct Items {
  Grouping grouping;                   // units to items
  std::vector<std::uint32_t> decided;  // items with a choice, in topological order of their first op
  std::vector<std::int64_t> position;  // indexed by item: its place in `decided`, -1 if it has no choice
  // Edges between decided items, by their places in `decided`: (from, to, bytes), each pair once, sorted.
  struct Edge {
    std::uint32_t from, to;
    Bytes bytes;
  };
  std::vector<Edge> edges;

  [[nodiscard]] std::size_t size() const { return decided.size(); }
};

enum class Decided : std::uint8_t { kWithChoice, kAll };  // items with a choice of devices, or all of them

// An item for every group of `clusters`.
Items make_items(const Problem& problem, Grouping clusters, Decided decided = Decided::kWithChoice);

// Every device that something may be on, unless the user limits their number.
std::vector<DeviceId> devices_to_use(const Problem& problem, const Items& items);

// Places in `decided` to the ops of that item.
std::vector<std::vector<OpId>> ops_of_items(const Problem& problem, const Items& items);

// Every decided item on its device as far as it may be there; the rest where it must be.
Plan plan_of_items(const Problem& problem, const Items& items, std::span<const DeviceId> device_of_item);

}  // namespace berth::learn

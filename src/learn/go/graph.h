// SPDX-License-Identifier: Apache-2.0
// GoGraph: a problem as the network of `go` sees it. Nothing in it names a graph, a machine or a device: op types come
// as cost classes and hashes, devices by what they are, times and bytes as shares and logarithms. So one network reads
// them all, however many nodes and devices there are.
//
// Nodes are items (learn/features/items.h) in topological order, those without a choice of devices too: they have
// priorities.
#pragma once

#include <cstdint>
#include <vector>

#include "learn/features/items.h"
#include "learn/go/coordinates.h"
#include "learn/nn/tensor.h"

namespace berth::learn {

// Edges of one direction by node: neighbours begin[v] .. begin[v + 1].
struct Neighbours {
  std::vector<std::uint32_t> begin, node;
};

// What is done with the neighbours' chances of devices: entry i adds weight[i] * row source[i] to row target[i].
// Weights of a target add up to one, or there are none.
struct Mixing {
  Tensor source, target;  // whole numbers
  Tensor weight;          // [entries, 1]
  Tensor none;            // [nodes, 1]: 1 for a target without entries, else 0
};

struct GoGraph {
  Items items;
  std::vector<DeviceId> devices;  // columns
  Neighbours before, after;

  Tensor nodes;        // [nodes, node_columns()]
  Tensor coordinates;  // [nodes, kCoordinates]: where a node is, work spread evenly
  Tensor machine;      // [devices, device_columns()]
  Tensor slots;        // [devices]: place among the devices, at most kDeviceSlots - 1
  Tensor share;        // [devices]: of the work, by speed and memory
  Tensor pairs;        // [nodes, devices, kFixedPairs]
  Tensor forbidden;    // [nodes, devices]: 0, or kForbidden where a node may not be
  Tensor seconds;      // [nodes, devices], in equal shares of the quickest way to do all
  Tensor fill;         // [nodes, devices]: what stays on a device, as a share of its memory
  Mixing from_before, from_after;

  [[nodiscard]] std::int64_t size() const { return nodes.size(0); }
  [[nodiscard]] std::int64_t num_devices() const { return machine.size(0); }
};

inline constexpr double kForbidden = -1e9;  // added to a logit
inline constexpr std::int64_t kDeviceSlots = 64;

std::int64_t device_columns();
// Of pairs: logarithm of the device's share, logarithm of how much slower it is for the node, seconds, bytes, and for
// each coordinate how far the node is from the stretch that would be the device's if all were cut in order.
inline constexpr std::int64_t kFirstDistance = 4, kFixedPairs = kFirstDistance + kCoordinates;

// `given`: the devices of all ops where these are not to be decided, else null. Of at most `most_nodes` nodes (0: one
// for every unit), clusters along heavy tensors.
GoGraph make_go_graph(const Problem& problem, std::size_t most_nodes, const Plan* given, at::Device device);

}  // namespace berth::learn

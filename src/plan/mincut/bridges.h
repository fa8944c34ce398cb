// SPDX-License-Identifier: Apache-2.0
// Bridges of an undirected graph: edges whose removal disconnects it, and the blocks that remain without them (Tarjan
// 1974). A set of cut edges leaves exactly: the connected parts there were, one more for every cut bridge, and as many
// more for every block as it has parts beyond one.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace berth {

using UndirectedEdge = std::pair<std::uint32_t, std::uint32_t>;

struct BridgeTree {
  std::vector<UndirectedEdge> bridges;
  std::vector<std::uint32_t> block;  // of every node; numbered from 0
  std::size_t blocks = 0;
  std::size_t parts = 0;  // connected parts: blocks less bridges
};

// Edges that are there several times count once; loops not at all.
BridgeTree find_bridges(std::size_t nodes, std::vector<UndirectedEdge> edges);

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
// Regions of a plan on a machine without overlap (docs/simulator.md, rule 8): connected ops of one device, split where
// they would wait for each other in a circle, in the order in which they run. Linear in the graph but for two heaps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/engine/flat_graph.h"

namespace berth {

struct Regions {
  std::vector<std::uint32_t> nodes;  // region by region, in the order they run
  std::vector<std::uint32_t> begin;  // of every region in nodes, and the end
  [[nodiscard]] std::size_t count() const { return begin.size() - 1; }
  [[nodiscard]] std::span<const std::uint32_t> nodes_of(std::size_t region) const {
    return {nodes.data() + begin[region], nodes.data() + begin[region + 1]};
  }
};

class RegionFinder {
 public:
  // The graph must outlive it.
  RegionFinder(const Graph& graph, const FlatGraph& flat);

  // device: per node. Valid until the next call.
  const Regions& find(std::span<const std::uint8_t> device);

  // Whether a node is there from the start: constants, views of them and inputs. Those are in no region.
  [[nodiscard]] bool is_given(std::uint32_t node) const { return kind_[node] != Kind::kRuns; }
  // Whether it follows its consumers: a parameter, buffer or constant, or a view of such alone.
  [[nodiscard]] bool is_constant(std::uint32_t node) const { return kind_[node] == Kind::kConstant; }
  [[nodiscard]] std::uint32_t producer(std::uint32_t tensor) const { return producer_[tensor]; }  // node
  [[nodiscard]] std::span<const std::uint32_t> topological_order() const { return order_; }

 private:
  enum class Kind : std::uint8_t { kRuns, kConstant, kInput, kAbsent };
  struct Edge {
    std::uint32_t from, to;
  };

  void find_order(const Graph& graph);
  void find_edges();
  void find_circles(const std::vector<std::uint32_t>& group);
  void find_depths(const std::vector<std::uint32_t>& group);
  void sort_regions(const std::vector<std::uint32_t>& region);

  const FlatGraph& flat_;
  std::vector<Kind> kind_;
  std::vector<std::uint32_t> producer_, order_;
  std::vector<Edge> edges_;  // between nodes that run, by `to` in topological order
  // Of one plan.
  std::vector<std::uint32_t> circle_, depth_;
  Regions regions_;
};

}  // namespace berth

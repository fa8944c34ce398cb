// SPDX-License-Identifier: Apache-2.0
#include "export/source_nodes.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace berth {
namespace {

class Placing {
 public:
  explicit Placing(const std::vector<SourceNode>& nodes) : nodes_(nodes), readers_(nodes.size()) {
    for (std::uint32_t node = 0; node < nodes.size(); ++node) {
      for (const std::uint32_t input : nodes[node].inputs) readers_[input].push_back(node);
    }
  }

  PlacedNodes run() {
    find_order();
    find_constants();
    for (const SourceNode& node : nodes_) result_.device_of.push_back(node.device);
    for (const std::uint32_t node : result_.order) follow_inputs(node);
    for (auto node = result_.order.rbegin(); node != result_.order.rend(); ++node) follow_readers(*node);
    return std::move(result_);
  }

 private:
  // Lowest number first among the free.
  void find_order() {
    std::vector<std::size_t> open(nodes_.size());
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
    for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
      open[node] = nodes_[node].inputs.size();
      if (open[node] == 0) ready.push(node);
    }
    while (!ready.empty()) {
      const std::uint32_t node = ready.top();
      ready.pop();
      result_.order.push_back(node);
      for (const std::uint32_t reader : readers_[node]) {
        if (--open[reader] == 0) ready.push(reader);
      }
    }
  }

  void find_constants() {
    result_.is_constant.assign(nodes_.size(), false);
    for (const std::uint32_t node : result_.order) {
      const SourceNode& source = nodes_[node];
      result_.is_constant[node] =
          source.device == kNoDevice && !source.reads_input &&
          std::ranges::all_of(source.inputs, [&](std::uint32_t input) { return result_.is_constant[input]; });
    }
  }

  void follow_inputs(std::uint32_t node) {
    DeviceId& device = result_.device_of[node];
    if (device != kNoDevice || result_.is_constant[node]) return;
    for (const std::uint32_t input : nodes_[node].inputs) {
      if (device == kNoDevice && !result_.is_constant[input]) device = result_.device_of[input];
    }
  }

  void follow_readers(std::uint32_t node) {
    DeviceId& device = result_.device_of[node];
    for (const std::uint32_t reader : readers_[node]) {
      if (device == kNoDevice) device = result_.device_of[reader];
    }
  }

  const std::vector<SourceNode>& nodes_;
  std::vector<std::vector<std::uint32_t>> readers_;
  PlacedNodes result_;
};

}  // namespace

PlacedNodes place_source_nodes(const std::vector<SourceNode>& nodes) { return Placing(nodes).run(); }

}  // namespace berth

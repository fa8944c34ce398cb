// SPDX-License-Identifier: Apache-2.0
#include "export/source_nodes.h"

#include <algorithm>
#include <functional>
#include <map>
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

constexpr std::size_t kMostLookAhead = 256;  // stages; a plan with more is no pipeline, and looking ahead takes time

class StageMaker {
 public:
  StageMaker(const std::vector<SourceNode>& nodes, const PlacedNodes& placed)
      : placed_(placed), readers_(nodes.size()), open_(nodes.size()) {
    for (const std::uint32_t node : placed.order) {
      if (placed.is_constant[node]) continue;
      ++left_[placed.device_of[node]];
      for (const std::uint32_t input : nodes[node].inputs) {
        if (placed.is_constant[input]) continue;
        readers_[input].push_back(node);
        ++open_[node];
      }
      if (open_[node] == 0) ready_[placed.device_of[node]].push_back(node);
    }
  }

  std::vector<Stage> run() {
    while (!ready_.empty()) {
      Stage stage = next_stage();
      for (const std::uint32_t node : stage.nodes) release(node, stage.device);
      ready_.erase(stage.device);
      left_[stage.device] -= stage.nodes.size();
      std::ranges::sort(stage.nodes, {}, [&](std::uint32_t node) { return position(node); });
      stages_.push_back(std::move(stage));
    }
    return std::move(stages_);
  }

 private:
  Stage next_stage() {
    Stage best;
    for (const auto& [device, nodes] : ready_) {
      Stage stage{device, reachable(device)};
      if (stage.nodes.size() == left_[device]) return stage;
      if (stage.nodes.size() > best.nodes.size()) best = std::move(stage);
      if (stages_.size() >= kMostLookAhead) break;
    }
    return best;
  }

  // What can run on the device from here on without waiting for another one.
  std::vector<std::uint32_t> reachable(DeviceId device) {
    std::vector<std::uint32_t> found = ready_[device];
    std::vector<std::uint32_t> lowered;
    for (std::size_t i = 0; i < found.size(); ++i) {
      for (const std::uint32_t reader : readers_[found[i]]) {
        lowered.push_back(reader);
        if (--open_[reader] == 0 && placed_.device_of[reader] == device) found.push_back(reader);
      }
    }
    for (const std::uint32_t node : lowered) ++open_[node];
    return found;
  }

  void release(std::uint32_t node, DeviceId device) {
    for (const std::uint32_t reader : readers_[node]) {
      const DeviceId there = placed_.device_of[reader];
      if (--open_[reader] == 0 && there != device) ready_[there].push_back(reader);
    }
  }

  std::size_t position(std::uint32_t node) {
    if (position_.empty()) {
      position_.resize(open_.size());
      for (std::size_t i = 0; i < placed_.order.size(); ++i) position_[placed_.order[i]] = i;
    }
    return position_[node];
  }

  const PlacedNodes& placed_;
  std::vector<std::vector<std::uint32_t>> readers_;
  std::vector<std::size_t> open_;                         // per node: inputs that have not been made
  std::map<DeviceId, std::vector<std::uint32_t>> ready_;  // by device; none is empty
  std::map<DeviceId, std::size_t> left_;                  // nodes that are in no stage yet
  std::vector<std::size_t> position_;                     // per node, in the order
  std::vector<Stage> stages_;
};

}  // namespace

PlacedNodes place_source_nodes(const std::vector<SourceNode>& nodes) { return Placing(nodes).run(); }

std::vector<Stage> make_stages(const std::vector<SourceNode>& nodes, const PlacedNodes& placed) {
  return StageMaker(nodes, placed).run();
}

}  // namespace berth

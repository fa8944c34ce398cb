// SPDX-License-Identifier: Apache-2.0
#include "export/stages.h"

#include <algorithm>
#include <map>

namespace berth {
namespace {

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

std::vector<Stage> make_stages(const std::vector<SourceNode>& nodes, const PlacedNodes& placed) {
  return StageMaker(nodes, placed).run();
}

}  // namespace berth

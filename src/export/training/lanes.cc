// SPDX-License-Identifier: Apache-2.0
#include "export/training/lanes.h"

#include <algorithm>

#include "base/disjoint_sets.h"
#include "base/text.h"

namespace berth {
namespace {

// Sets of devices that share microbatches.
DisjointSets sets_by_microbatch(const PipelinePlan& plan) {
  const auto devices = static_cast<std::uint32_t>(plan.actions.size());
  DisjointSets sets(devices);
  std::vector<std::uint32_t> first(plan.microbatches, devices);
  for (std::uint32_t device = 0; device < devices; ++device) {
    for (const PipelineAction& action : plan.actions[device]) {
      std::uint32_t& known = first[action.microbatch];
      if (known == devices) known = device;
      sets.unite(device, known);
    }
  }
  return sets;
}

class LaneMaker {
 public:
  LaneMaker(const PipelinePlan& plan, const Machine& machine, std::string_view runtime)
      : plan_(plan), machine_(machine), runtime_(runtime), sets_(sets_by_microbatch(plan)) {}

  Result<std::vector<PipelineLane>> run() {
    const std::size_t replicas = plan_.stages.front().devices.size();
    for (std::size_t stage = 1; stage < plan_.stages.size(); ++stage) {
      const std::size_t here = plan_.stages[stage].devices.size();
      if (here == replicas) continue;
      return bad_input("stage 0 has {} and stage {} has {}: {} {}", counted(replicas, "device"), stage,
                       counted(here, "device"), runtime_, kRule);
    }
    std::vector<PipelineLane> lanes;
    for (const DeviceId first : plan_.stages.front().devices) {
      BERTH_TRY(PipelineLane lane, make(first));
      lanes.push_back(std::move(lane));
    }
    return lanes;
  }

 private:
  static constexpr std::string_view kRule =
      "runs a pipeline of one rank per stage, once for every replica, so all stages need as many replicas, each with "
      "microbatches of its own";

  Result<PipelineLane> make(DeviceId first) {
    PipelineLane lane;
    for (std::size_t stage = 0; stage < plan_.stages.size(); ++stage) {
      BERTH_TRY(const DeviceId device, device_of(stage, first));
      const auto found = std::ranges::find(lane.ranks, device);
      lane.rank_of.push_back(static_cast<std::uint32_t>(found - lane.ranks.begin()));
      if (found == lane.ranks.end()) lane.ranks.push_back(device);
    }
    for (const DeviceId device : lane.ranks) lane.actions.push_back(plan_.actions[index(device)]);
    number_microbatches(lane);
    return lane;
  }

  // The one replica of a stage that shares microbatches with this replica of the first stage.
  Result<DeviceId> device_of(std::size_t stage, DeviceId first) {
    const auto set_of = [&](DeviceId device) { return sets_.root(static_cast<std::uint32_t>(index(device))); };
    const auto shares = [&](DeviceId device) { return set_of(device) == set_of(first); };
    const std::vector<DeviceId>& devices = plan_.stages[stage].devices;
    if (plan_.actions[index(first)].empty()) {
      return bad_input("{} has no microbatch to run, and {} has work for every rank", machine_.device(first).name,
                       runtime_);
    }
    const auto found = std::ranges::find_if(devices, shares);  // there is one: a microbatch goes through all stages
    const auto other = std::find_if(found + 1, devices.end(), shares);
    if (other == devices.end()) return *found;
    return bad_input("{} and {}, replicas of stage {}, share microbatches in other stages: {} {}",
                     machine_.device(*found).name, machine_.device(*other).name, stage, runtime_, kRule);
  }

  void number_microbatches(PipelineLane& lane) const {
    const std::uint32_t last = static_cast<std::uint32_t>(plan_.stages.size() - 1);
    std::vector<std::uint32_t> number(plan_.microbatches, 0);
    for (const PipelineAction& action : lane.actions[lane.rank_of[last]]) {
      if (action.stage != last || action.kind != ActionKind::kForward) continue;
      number[action.microbatch] = static_cast<std::uint32_t>(lane.microbatches.size());
      lane.microbatches.push_back(action.microbatch);
    }
    for (std::vector<PipelineAction>& actions : lane.actions) {
      for (PipelineAction& action : actions) action.microbatch = number[action.microbatch];
    }
  }

  const PipelinePlan& plan_;
  const Machine& machine_;
  std::string_view runtime_;
  DisjointSets sets_;
};

}  // namespace

Result<std::vector<PipelineLane>> lanes_of(const PipelinePlan& plan, const Machine& machine, std::string_view runtime) {
  return LaneMaker(plan, machine, runtime).run();
}

bool are_alike(std::span<const PipelineLane> lanes) {
  const PipelineLane& first = lanes.front();
  return std::ranges::all_of(
      lanes, [&](const PipelineLane& lane) { return lane.rank_of == first.rank_of && lane.actions == first.actions; });
}

std::vector<std::uint32_t> stages_of(const PipelineLane& lane, std::size_t rank) {
  std::vector<std::uint32_t> stages;
  for (std::uint32_t stage = 0; stage < lane.rank_of.size(); ++stage) {
    if (lane.rank_of[stage] == rank) stages.push_back(stage);
  }
  return stages;
}

std::optional<StageOrder> stage_order(const PipelineLane& lane) {
  const std::size_t stages = lane.rank_of.size(), ranks = lane.ranks.size();
  if (stages % ranks != 0) return std::nullopt;
  bool is_loop = true, is_v = stages == 2 * ranks;
  for (std::size_t stage = 0; stage < stages; ++stage) {
    is_loop = is_loop && lane.rank_of[stage] == stage % ranks;
    is_v = is_v && lane.rank_of[stage] == (stage < ranks ? stage : stages - 1 - stage);
  }
  if (is_loop) return StageOrder::kLoop;
  return is_v ? std::optional(StageOrder::kV) : std::nullopt;
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
// The search for a pipeline: which devices in which order, where the model is cut, what is run again instead of kept,
// and the schedule, together.
//
// For every order of devices that differs (equal ones count once) the program of cut_dp.h finds a cut. The most
// promising orders are tried under every schedule, rules and lists made for them (list_schedule.h), by the timeline by
// units; then borders, recomputation and devices of the best few are changed as long as that helps, and at last the
// order of actions. One device alone, and data parallel, are candidates too.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/unit_run.h"

namespace berth::pipeline {

struct PlanningRequest {
  std::uint32_t microbatches = 8;
  std::string schedule = {};  // one of planning_schedules(); empty: the best of all
  bool may_recompute = true;
  bool may_split = true;  // the backward pass in two parts
  bool may_share = true;  // several stages on one device
  double time_s = 8.0;    // a guard: it usually ends by itself
  std::uint64_t seed = 1;
  const std::atomic<bool>* stop = nullptr;
};

// A pipeline with what it would do.
struct Judged {
  std::string name;  // of a baseline: "equal layers"
  Cut cut;
  PipelinePlan plan;
  UnitTimeline timeline;
};

struct Planning {
  std::optional<Judged> best;     // nothing if nothing fits
  std::vector<Judged> baselines;  // equal layers, equal parameters, equal work, data parallel, one device
  std::uint64_t evaluations = 0;
  std::size_t orders = 0;  // of devices that were looked at
};

Planning plan_pipeline(const LayeredStep& step, const PlanningRequest& request);

// What people do without a planner (baselines.h), judged. Names of rows with one device begin with this.
inline constexpr std::string_view kOneDevice = "one device";
std::vector<Judged> judge_baselines(const LayeredStep& step, std::uint32_t microbatches);

// Names of schedules that a request may ask for: those of the rules, and `searched`.
std::vector<std::string> planning_schedules();
inline constexpr std::string_view kSearched = "searched";

// A plan for one device per stage; layers and microbatches are filled in, lists are the caller's.
PipelinePlan plan_of(const LayeredStep& step, const Cut& cut, const std::vector<std::vector<DeviceId>>& devices,
                     std::uint32_t microbatches);

// Devices that stages may be on: accelerators that can run some block, or all devices where there are none.
std::vector<DeviceId> stage_devices(const LayeredStep& step);

// That every block can run on one of them at least; an error names a layer that cannot.
Status check_devices(const LayeredStep& step);

// How the layers of a plan cut a step; an error if they are not its layers in their order.
Result<Cut> cut_of(const LayeredStep& step, const PipelinePlan& plan);

// What replicas cannot do yet: stages that share weights with others must have one device each.
Status check_replicas(const StagedStep& staged, const PipelinePlan& plan);

}  // namespace berth::pipeline

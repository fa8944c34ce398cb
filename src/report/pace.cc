// SPDX-License-Identifier: Apache-2.0
#include "report/pace.h"

#include <algorithm>

#include "sim/pipeline.h"

namespace berth::report {
namespace {

bool is_training(const Graph& graph) {
  return std::ranges::any_of(graph.topological_order(), [&](OpId op) { return graph.is_trained(op); });
}

bool is_spread(const Problem& problem, const Plan& plan) {
  DeviceSet working = 0;
  for (const OpId op : problem.graph().ops()) {
    if (problem.duration(op, plan.device(op)) > 0) working |= device_bit(plan.device(op));
  }
  return (working & (working - 1)) != 0;
}

std::string limit_name(const Problem& problem, const PipelineLoad& load) {
  if (load.limiting_queue < 0) return problem.machine().device(load.limit).name;
  return "link " + problem.machine().queues()[static_cast<std::size_t>(load.limiting_queue)];
}

// The device with the largest load besides the one that sets the pace; none if the others have nothing to do.
DeviceId next_in_load(const Problem& problem, const PipelineLoad& load) {
  DeviceId next = kNoDevice;
  for (const DeviceId id : problem.machine().device_ids()) {
    const bool sets_the_pace = load.limiting_queue < 0 && id == load.limit;
    if (sets_the_pace || load.devices[index(id)] == 0) continue;
    if (next == kNoDevice || load.devices[index(id)] > load.devices[index(next)]) next = id;
  }
  return next;
}

}  // namespace

std::string pace_text(const Problem& problem, const Plan& plan) {
  const PipelineLoad load = pipeline_load(problem, plan);
  const std::string name = limit_name(problem, load), most = format_time(load.largest());
  if (load.limiting_queue >= 0) return fmt::format("{}: {} of transfers per sample", name, most);
  const Picoseconds transfers = load.transfers[index(load.limit)];
  return fmt::format("{}: {} per sample, {} of ops and {} of transfers", name, most,
                     format_time(load.largest() - transfers), format_time(transfers));
}

std::vector<std::string> what_sets_the_pace(const Problem& problem, const Plan& plan) {
  const PipelineLoad load = pipeline_load(problem, plan);
  std::vector<std::string> sentences{"the pace is set by " + pace_text(problem, plan)};
  if (const DeviceId next = next_in_load(problem, load); next != kNoDevice) {
    sentences.push_back(fmt::format("of the {} {} has most to do: {}, {:.0f} % of that",
                                    load.limiting_queue < 0 ? "other devices" : "devices",
                                    problem.machine().device(next).name, format_time(load.devices[index(next)]),
                                    100.0 * to_seconds(load.devices[index(next)]) / to_seconds(load.largest())));
  }
  return sentences;
}

std::optional<std::string> about_pace(const Problem& problem, const Plan& plan) {
  if (is_training(problem.graph()) || !is_spread(problem, plan)) return std::nullopt;
  const PipelineLoad load = pipeline_load(problem, plan);
  return fmt::format("if samples streamed through it (objective pipeline), {} would set the pace: {} per sample",
                     limit_name(problem, load), format_time(load.largest()));
}

}  // namespace berth::report

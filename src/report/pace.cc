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

}  // namespace

std::optional<std::string> about_pace(const Problem& problem, const Plan& plan) {
  if (is_training(problem.graph()) || !is_spread(problem, plan)) return std::nullopt;
  const PipelineLoad load = pipeline_load(problem, plan);
  const std::string name = load.limiting_queue >= 0
                               ? "link " + problem.machine().queues()[static_cast<std::size_t>(load.limiting_queue)]
                               : problem.machine().device(load.limit).name;
  return fmt::format("if samples streamed through it (objective pipeline), {} would set the pace: {} per sample", name,
                     format_seconds(to_seconds(load.largest())));
}

}  // namespace berth::report

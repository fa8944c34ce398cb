// SPDX-License-Identifier: Apache-2.0
#include "app/pipeline_output.h"

#include "base/text.h"
#include "sim/pipeline.h"

namespace berth::app {
namespace {

std::string time_text(Picoseconds time) { return format_seconds(to_seconds(time)); }

const std::string& queue_name(const Problem& problem, const PipelineLoad& load) {
  return problem.machine().queues()[static_cast<std::size_t>(load.limiting_queue)];
}

}  // namespace

std::string pace_text(const Problem& problem, const Plan& plan) {
  const PipelineLoad load = pipeline_load(problem, plan);
  if (load.limiting_queue >= 0) {
    return fmt::format("link {}: {} of transfers per sample", queue_name(problem, load), time_text(load.largest()));
  }
  const Picoseconds transfers = load.transfers[index(load.limit)];
  return fmt::format("{}: {} per sample, {} of ops and {} of transfers", problem.machine().device(load.limit).name,
                     time_text(load.largest()), time_text(load.largest() - transfers), time_text(transfers));
}

void write_pace(JsonWriter& json, const Problem& problem, const Plan& plan) {
  const PipelineLoad load = pipeline_load(problem, plan);
  json.key("limit").begin_object();
  if (load.limiting_queue >= 0) {
    json.key("link").value(queue_name(problem, load));
  } else {
    json.key("device").value(problem.machine().device(load.limit).name);
  }
  json.key("load_s").value(to_seconds(load.largest())).end_object();
  json.key("loads_s").begin_object();
  for (const DeviceId id : problem.machine().device_ids()) {
    json.key(problem.machine().device(id).name).value(to_seconds(load.devices[index(id)]));
  }
  json.end_object();
}

}  // namespace berth::app

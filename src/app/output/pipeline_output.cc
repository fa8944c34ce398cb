// SPDX-License-Identifier: Apache-2.0
#include "app/output/pipeline_output.h"

#include "sim/pipeline.h"

namespace berth::app {
void write_pace(JsonWriter& json, const Problem& problem, const Plan& plan) {
  const PipelineLoad load = pipeline_load(problem, plan);
  json.key("limit").begin_object();
  if (load.limiting_queue >= 0) {
    json.key("link").value(problem.machine().queues()[static_cast<std::size_t>(load.limiting_queue)]);
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

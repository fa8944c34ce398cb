// SPDX-License-Identifier: Apache-2.0
// The same TensorFlow graph with device fields: read as a model, since functions and colocation have a say in where an
// op is, and matched by the names of ops.
#include <unordered_map>

#include "import/plans/readers.h"

namespace berth {

Result<StatedPlan> read_tensorflow_devices(const std::string&, const ForeignPlanRequest& request) {
  BERTH_TRY(const Lowered placed, import_model(request.path, request.import));
  if (placed.device_of.empty()) return bad_input("no node of it has a device field");
  std::unordered_map<std::string_view, const std::string*> device_of;
  for (const OpId op : placed.graph.ops()) device_of.emplace(placed.graph.name(op), &placed.device_of[index(op)]);
  const Graph& graph = request.problem.graph();
  OpDevices devices(graph.num_ops());
  std::size_t known = 0;
  for (const OpId op : graph.ops()) {
    const auto found = device_of.find(graph.name(op));
    if (found == device_of.end()) continue;
    devices[index(op)] = *found->second;
    ++known;
  }
  if (known == 0) return bad_input("none of its nodes is in '{}': it places another graph", graph.title());
  return StatedPlan{std::move(devices)};
}

}  // namespace berth

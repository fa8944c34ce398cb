// SPDX-License-Identifier: Apache-2.0
// The readers behind read_foreign_plan(): of JSON objects in json_map.cc, of CSV in csv_plan.cc, of settings in
// ort_settings.cc, and what is short in foreign_plan.cc.
#pragma once

#include <string>
#include <vector>

#include "import/plans/foreign_plan.h"

namespace berth {

using OpDevices = std::vector<std::string>;  // per op, as the text says it; empty where it says nothing

struct StatedPlan {
  OpDevices device_of;
  std::vector<double> priority = {};  // per op; empty: 0 for every op
  std::vector<std::vector<OpId>> fusions = {};
};

// {"layer.0": 0, "layer.1": "cpu"}; an error unless it covers every parameter and buffer with a name.
Result<StatedPlan> read_device_map(const std::string& text, const ForeignPlanRequest& request);
// {"conv1": "GPU.0"}; an error if no op has such a name.
Result<StatedPlan> read_affinity(const std::string& text, const ForeignPlanRequest& request);
// Whether the keys of a JSON object are names of ops.
bool names_ops(const std::string& text, const Graph& graph);
// "gpu(layer0); cpu(=head)", or a JSON object with such a text under the name of the session option.
Result<StatedPlan> read_ort_settings(const std::string& text, const ForeignPlanRequest& request);
// The only one with priorities and fusions.
Result<StatedPlan> read_csv_plan(const std::string& text, const ForeignPlanRequest& request);
// The same graph with device fields, read from the path of the plan; the text is not looked at.
Result<StatedPlan> read_tensorflow_devices(const std::string& text, const ForeignPlanRequest& request);

// Weights, buffers and constants that nothing is said about go with the first op that reads them.
void follow_readers(const Graph& graph, OpDevices& devices);
// Ops that nothing is said about run where their inputs are: weights first, else the first that is placed.
void follow_inputs(const Graph& graph, OpDevices& devices);

}  // namespace berth

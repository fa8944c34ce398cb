// SPDX-License-Identifier: Apache-2.0
// Execution graphs: what a runtime made of a model on one device, with the time of each primitive (XML of
// get_runtime_model(), or of benchmark_app -exec_graph_path). Measured costs for the layers of the model.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth {

// One primitive that ran. It stands for all the layers that were fused into it, which share its time; none for what the
// runtime added by itself, such as a change of layout.
struct ExecutionTime {
  std::string primitive, type;
  std::vector<std::string> layers;  // by their names in the model
  double microseconds = 0.0;
  bool operator==(const ExecutionTime&) const = default;
};

// In the order of the file; primitives that did not run are left out. An error if nothing in the file has a time.
Result<std::vector<ExecutionTime>> read_execution_graph(std::string_view xml);

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
// Pipeline files, berth-pipeline/1 (docs/formats.md): a PipelinePlan, and what was predicted when it was made. It
// belongs to one graph, by its structure hash, and may be read for another machine that has the devices it names. All
// errors of the readers begin with the file's name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "format/pipeline_plan.h"
#include "graph/graph.h"
#include "machine/machine.h"

namespace berth {

inline constexpr std::string_view kPipelineFormat = "berth-pipeline/1";

// What the maker of a pipeline expects of it. For people and tools; reading ignores it.
struct PipelinePrediction {
  struct Device {
    std::string name = {};
    double busy_s = 0.0;
    Bytes peak_bytes = 0;
    Bytes capacity_bytes = 0;
  };
  double step_time_s = 0.0;
  bool feasible = true;
  double bubble = 0.0;
  std::vector<Device> devices = {};
};

// `cut_by` says what the names of layers are: modules or labels.
std::string write_pipeline_json(const Graph& graph, const Machine& machine, const PipelinePlan& plan,
                                std::string_view cut_by, const PipelinePrediction& prediction);

// Reads a pipeline of this graph: its hash, devices that the machine has, and lists that pass check_lists() and do not
// wait for each other in a circle. Whether the graph has these layers is for who cuts it to say.
Result<PipelinePlan> load_pipeline_file(const std::string& path, const Graph& graph, const Machine& machine);
Result<PipelinePlan> parse_pipeline(std::string text, std::string_view file_name, const Graph& graph,
                                    const Machine& machine);

// Whether the lists can all be run to their ends, each action after those that it waits for in other stages. They pass
// check_lists().
Status check_order(const PipelinePlan& plan);

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
// Pipelines of training steps as frameworks take them: cut, ranks and lists of actions. A format is one function, as
// for plans (export/exporter.h); docs/exports.md says what each cannot express. What a framework cannot run at all is
// an error of one line, what it does in another way a note.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "export/exporter.h"
#include "format/pipeline_plan.h"
#include "problem/problem.h"

namespace berth {

struct TrainingExportRequest {
  const Problem& problem;                         // the step of one microbatch
  const PipelinePlan& plan;                       // of its graph and machine, without mistakes
  std::map<std::string, std::string> names = {};  // of devices in the framework, by their names in the machine
  std::string module_prefix = {};                 // path of the user's model within the modules of the graph
};

std::span<const ExportFormat> training_exports();  // sorted by name

Result<Exported> export_deepspeed(const TrainingExportRequest& request);
Result<Exported> export_megatron(const TrainingExportRequest& request);
Result<Exported> export_torch_pipelining(const TrainingExportRequest& request);
Result<Exported> export_torchtitan(const TrainingExportRequest& request);

// Names of layers go into files of Python: those with quotes or line breaks are refused.
Status check_layer_names(const PipelinePlan& plan);

// The layers of every stage, as paths of modules in the user's model.
Result<std::vector<std::vector<std::string>>> module_paths(const TrainingExportRequest& request);

// "h" of "h.3": the list of modules that a layer is a member of; "" of what is no member of one.
std::string_view list_of(std::string_view layer);

}  // namespace berth

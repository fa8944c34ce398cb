// SPDX-License-Identifier: Apache-2.0
#include "services/export/export_plan.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include "base/text.h"
#include "export/device_names.h"
#include "export/training/training_exports.h"
#include "files/output_path.h"
#include "format/pipeline_file.h"
#include "machine/library.h"
#include "plan/layers/layers.h"
#include "report/trace/trace_exports.h"
#include "services/plan/plan_files.h"

namespace berth {
namespace {

// An error names the nearest one.
Result<ExportFormat> find_export_format(std::string_view name) {
  std::vector<std::string> names;
  for (const ExportFormat& format : export_formats()) {
    if (format.name == name) return format;
    names.emplace_back(format.name);
  }
  return bad_input("no export format named '{}'; there are: {}{}", name, join(names, ", "),
                   did_you_mean(name, std::span<const std::string>(names)));
}

Status check_paths(const PlanExportRequest& request, const ExportFormat& format) {
  const std::vector<std::string_view> endings = split(format.takes, ' ');
  const bool fits = format.takes.empty() || std::ranges::any_of(endings, [&](std::string_view ending) {
                      return request.problem.graph.ends_with(ending);
                    });
  if (!fits) {
    return bad_input("--to {} writes the model's own file again, and needs one that ends in {}; {} does not",
                     format.name, format.takes, request.problem.graph);
  }
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(request.output, ignored);
  if (!format.is_folder) {
    return check_output_path(request.output, std::array{request.problem.graph, request.problem.machine, request.plan});
  }
  if (!is_folder && std::filesystem::exists(request.output, ignored)) {
    return bad_input("{}: --to {} writes a folder of files, and this is a file", request.output, format.name);
  }
  return {};
}

Result<std::map<std::string, std::string>> read_names(const std::vector<std::string>& words) {
  std::map<std::string, std::string> names;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == word.size()) {
      return bad_input("--name: '{}' is not DEVICE=NAME, as in gpu0=GPU.1", word);
    }
    const auto [entry, is_new] = names.emplace(word.substr(0, equals), word.substr(equals + 1));
    if (!is_new) return bad_input("--name: '{}' has two names", entry->first);
  }
  return names;
}

// "accelerate and torchtitan"
std::string module_formats() {
  std::vector<std::string> names;
  for (const ExportFormat& format : export_formats()) {
    if (format.speaks_of_modules) names.emplace_back(format.name);
  }
  const std::string last = names.back();
  names.pop_back();
  return fmt::format("{} and {}", join(names, ", "), last);
}

// The format of a request in which nothing is wrong as far as that can be seen before anything is read.
Result<ExportFormat> checked_format(const PlanExportRequest& request) {
  BERTH_TRY(const ExportFormat format, find_export_format(request.format));
  BERTH_RETURN_IF_ERROR(check_paths(request, format));
  BERTH_RETURN_IF_ERROR(read_names(request.names));
  if (!request.module_prefix.empty() && !format.speaks_of_modules) {
    return bad_input("--module-prefix is for --to {}, which speak of modules; leave it out", module_formats());
  }
  return format;
}

// The stages are the graph's layers, all of them and in their order.
Status check_layers(const PipelinePlan& plan, const Graph& graph) {
  const std::optional<Layers> layers = find_layers(graph);
  if (!layers)
    return bad_input("'{}' names no layers, neither in module paths nor in labels of parameters", graph.title());
  std::vector<std::string> listed;
  for (const PipelineStage& stage : plan.stages) listed.insert(listed.end(), stage.layers.begin(), stage.layers.end());
  const auto [listed_at, layer_at] = std::ranges::mismatch(listed, layers->names);
  if (listed_at == listed.end() && layer_at == layers->names.end()) return {};
  if (listed_at == listed.end()) return bad_input("layer '{}' of the graph is in no stage", *layer_at);
  if (layer_at == layers->names.end())
    return bad_input("the stages have '{}' behind all layers of the graph", *listed_at);
  return bad_input("the stages have '{}' where the graph's next layer is '{}'", *listed_at, *layer_at);
}

// A pipeline in the form that a framework takes.
Result<PlanExportAnswer> export_pipeline(const PlanExportRequest& request, const ExportFormat& format,
                                         const Problem& problem) {
  BERTH_TRY(const PipelinePlan plan, load_pipeline_file(request.plan, problem.graph(), problem.machine()));
  if (const Status fits = check_layers(plan, problem.graph()); !fits) return in_file(request.plan, fits.error());
  BERTH_TRY(auto names, read_names(request.names));
  BERTH_RETURN_IF_ERROR(check_names(problem.machine(), names));
  BERTH_TRY(Exported exported,
            format.make_of_pipeline(
                {.problem = problem, .plan = plan, .names = std::move(names), .module_prefix = request.module_prefix}));
  if (!request.output.empty()) BERTH_RETURN_IF_ERROR(save_export(format, exported, request.output));
  return PlanExportAnswer{format, std::move(exported), {}};
}

}  // namespace

std::vector<ExportFormat> export_formats() {
  std::vector<ExportFormat> formats(plan_exports().begin(), plan_exports().end());
  formats.insert(formats.end(), trace_exports().begin(), trace_exports().end());
  formats.insert(formats.end(), training_exports().begin(), training_exports().end());
  std::ranges::sort(formats, {}, &ExportFormat::name);
  return formats;
}

Result<PlanExportAnswer> export_plan(PlanExportRequest request, Caller& caller) {
  BERTH_TRY(const ExportFormat format, checked_format(request));
  ProblemRequest& problem = request.problem;
  if (problem.machine.empty()) {
    const std::optional<std::string> name = machine_of_plan_file(request.plan);
    if (name && builtin_machine(*name)) problem.machine = *name;
  }
  BERTH_TRY(const LoadedProblem loaded, load_problem(problem, caller));
  if (format.make_of_pipeline != nullptr) return export_pipeline(request, format, loaded.problem);
  BERTH_TRY(const ReadPlan read, read_plan(request.plan, problem, loaded.problem));
  return export_plan(request, loaded.problem, read.plan);
}

Result<PlanExportAnswer> export_plan(const PlanExportRequest& request, const Problem& problem, const Plan& plan) {
  BERTH_TRY(const ExportFormat format, checked_format(request));
  if (format.make == nullptr) {
    return bad_input("--to {} takes a pipeline from a file (berth-pipeline/1), and this is a plan", format.name);
  }
  BERTH_TRY(auto names, read_names(request.names));
  const ExportRequest made{.problem = problem,
                           .plan = plan,
                           .source = request.problem.graph,
                           .names = std::move(names),
                           .module_prefix = request.module_prefix,
                           .import = request.problem.import};
  BERTH_RETURN_IF_ERROR(check_names(problem.machine(), made.names));
  BERTH_TRY(Exported exported, format.make(made));
  BERTH_TRY(std::optional<ExportPromise> promise, promise_of(problem, plan, format));
  if (promise) {
    for (std::string& note : promise_notes(*promise, problem, format)) exported.notes.push_back(std::move(note));
  }
  if (!request.output.empty()) BERTH_RETURN_IF_ERROR(save_export(format, exported, request.output));
  return PlanExportAnswer{format, std::move(exported), std::move(promise)};
}

}  // namespace berth

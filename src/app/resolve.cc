// SPDX-License-Identifier: Apache-2.0
#include "app/resolve.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "app/llm_model.h"
#include "app/terminal.h"
#include "base/text.h"
#include "base/units.h"
#include "io/files.h"
#include "io/machine_toml.h"
#include "io/model_file.h"
#include "io/public_problem.h"
#include "machine/library.h"
#include "zoo/serving.h"
#include "zoo/zoo.h"

namespace berth::app {
namespace {

constexpr std::string_view kZoo = "zoo:";
constexpr std::array kObjectives{Objective::kStep, Objective::kPipeline};

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

bool looks_like_path(const std::string& text) {
  return text.ends_with(".toml") || text.find('/') != std::string::npos || exists(text);
}

// "nmt-4" for "zoo:nmt-4" is the slip everybody makes.
Error no_such_graph(const std::string& text) {
  const std::string_view name = std::string_view(text).substr(0, text.find(','));
  const bool is_model = std::ranges::any_of(zoo_models(), [&](const ModelInfo& model) { return model.name == name; });
  if (is_model) return bad_input("no file '{}'; did you mean 'zoo:{}'?", text, text);
  return bad_input("no file '{}'; give a graph file or a model of the zoo (berth models lists them)", text);
}

// For graphs that are no files of models: they have nothing to choose.
Status check_no_options(const std::string& text, const ImportOptions& options) {
  if (!options.dims.empty() && text.starts_with(kZoo)) {
    const std::string model = text.substr(0, text.find(','));
    return bad_input("--dim is for model files; a model of the zoo has its sizes in its name, as in {},batch=8", model);
  }
  if (!options.dims.empty()) {
    return bad_input("--dim: the sizes of {} are fixed; it is for models of frameworks ({})", text, kModelEndings);
  }
  if (!options.step.is_given()) return {};
  return bad_input("--output-node, --signature and --tag are for TensorFlow graphs (.pb .pbtxt .meta); {} is none",
                   text);
}

struct Loaded {
  GraphOrProblem what;
  std::optional<LowerReport> report = {};
  std::vector<std::string> device_of = {};  // per op, where the file wants it
};

Result<Loaded> load(const std::string& text, const ProblemRequest& request, const ImportOptions& options) {
  if (text.starts_with(kZoo)) {
    BERTH_RETURN_IF_ERROR(check_no_options(text, options));
    BERTH_TRY(Graph graph, build_zoo_model(std::string_view(text).substr(kZoo.size())));
    return Loaded{std::make_shared<const Graph>(std::move(graph)), std::nullopt};
  }
  if (const auto served = split_llm_file(text)) {
    BERTH_RETURN_IF_ERROR(check_no_options(text, options));
    BERTH_TRY(const llm::Model model, load_llm_file(served->path));
    BERTH_TRY(Graph graph, build_serving_model(model, served->assignments));
    return Loaded{std::make_shared<const Graph>(std::move(graph)), std::nullopt};
  }
  if (!exists(text)) return no_such_graph(text);
  if (is_model_file(text)) {
    BERTH_TRY(Lowered lowered, import_model(text, options));
    return Loaded{std::make_shared<const Graph>(std::move(lowered.graph)), std::move(lowered.report),
                  std::move(lowered.device_of)};
  }
  BERTH_RETURN_IF_ERROR(check_no_options(text, options));
  BERTH_TRY(GraphOrProblem what, load_graph_or_problem(text, request));
  return Loaded{std::move(what), std::nullopt};
}

Error no_machine(const std::string& graph) {
  return bad_input("{} is a graph, so --machine is required (berth machines lists the built-in ones)", graph);
}

// None: as the file says.
Result<std::optional<Objective>> resolve_objective(const std::string& text) {
  if (text.empty()) return std::optional<Objective>();
  std::vector<std::string_view> names;
  for (const Objective objective : kObjectives) {
    if (objective_name(objective) == text) return std::optional(objective);
    names.push_back(objective_name(objective));
  }
  return bad_input("no objective named '{}'; there are: step, pipeline{}", text,
                   did_you_mean(text, std::span<const std::string_view>(names)));
}

Status apply_changes(ProblemRequest& request, const ProblemFlags& flags) {
  if (flags.changes.empty()) return {};
  if (request.machine == nullptr) return bad_input("--set and --add-device change a machine; name one by --machine");
  BERTH_TRY(Machine machine, changed(*request.machine, flags.changes));
  request.machine = std::make_shared<const Machine>(std::move(machine));
  return {};
}

Result<ResolvedProblem> priced(Loaded loaded, const ProblemFlags& flags, const ProblemRequest& request,
                               InputNotes notes) {
  if (const auto* given = std::get_if<std::shared_ptr<const Problem>>(&loaded.what)) {
    if (!flags.costs.empty()) return bad_input("{} brings its own times; leave --costs out", flags.graph);
    return ResolvedProblem{**given, {}, {}, std::move(notes)};
  }
  if (request.machine == nullptr) return no_machine(flags.graph);
  const auto& graph = std::get<std::shared_ptr<const Graph>>(loaded.what);
  const Objective objective = request.objective.value_or(Objective::kStep);
  if (flags.costs.empty()) {
    BERTH_TRY(Problem problem, make_problem(graph, request.machine, {}, objective));
    return ResolvedProblem{std::move(problem), {}, std::move(loaded.device_of), std::move(notes)};
  }
  BERTH_TRY(MatchedCosts measured, resolve_costs(flags.costs, *graph, *request.machine));
  for (const CostsReport& report : measured.reports) notes.add(warnings_about(report));
  BERTH_TRY(Problem problem, make_problem(graph, request.machine, measured.costs, {}, objective));
  return ResolvedProblem{std::move(problem),
                         {measured.costs.num_ops(), std::move(measured.reports)},
                         std::move(loaded.device_of),
                         std::move(notes)};
}

}  // namespace

Result<ImportOptions> import_options(const ProblemFlags& flags) {
  BERTH_TRY(DimSizes dims, read_dims(flags.dims));
  return ImportOptions{std::move(dims), flags.step};
}

Result<ResolvedGraph> resolve_graph(const std::string& text, const ImportOptions& options) {
  BERTH_TRY(Loaded loaded, load(text, {}, options));
  if (const auto* graph = std::get_if<std::shared_ptr<const Graph>>(&loaded.what)) {
    return ResolvedGraph{*graph, nullptr, std::move(loaded.report)};
  }
  const auto& problem = std::get<std::shared_ptr<const Problem>>(loaded.what);
  // The graph lives as long as the problem.
  return ResolvedGraph{std::shared_ptr<const Graph>(problem, &problem->graph()), problem, std::nullopt};
}

Result<std::shared_ptr<const Machine>> resolve_machine(const std::string& text) {
  if (!looks_like_path(text)) {
    BERTH_TRY(Machine machine, builtin_machine(text));
    return std::make_shared<const Machine>(std::move(machine));
  }
  BERTH_TRY(const std::string contents, read_file(text));
  BERTH_TRY(Machine machine, read_machine_toml(contents, text));
  return std::make_shared<const Machine>(std::move(machine));
}

Result<std::vector<ResolvedProblem>> resolve_buckets(const ProblemFlags& flags, std::span<const Bucket> buckets) {
  // What is quick to find wrong comes first.
  ProblemRequest request;
  BERTH_TRY(request.objective, resolve_objective(flags.objective));
  BERTH_TRY(const std::vector<Demand> demands, demands_of(flags.constraints));
  if (!flags.machine.empty()) {
    BERTH_TRY(request.machine, resolve_machine(flags.machine));
  } else if (flags.graph.starts_with(kZoo)) {
    return no_machine(flags.graph);
  }
  BERTH_RETURN_IF_ERROR(apply_changes(request, flags));
  std::vector<ResolvedProblem> problems;
  for (const Bucket& bucket : buckets) {
    BERTH_TRY(Loaded loaded, load(flags.graph, request, {bucket.sizes, flags.step}));
    InputNotes notes{.assumed_sizes = assumed_sizes(loaded.report)};
    if (problems.empty()) notes.add(warnings_about(flags.graph, loaded.report));
    BERTH_TRY(ResolvedProblem problem, priced(std::move(loaded), flags, request, std::move(notes)));
    BERTH_TRY(problem.problem, constrained(std::move(problem.problem), demands, problem.notes));
    problems.push_back(std::move(problem));
  }
  return problems;
}

Result<ResolvedProblem> resolve_problem(const ProblemFlags& flags) {
  std::vector<Bucket> only(1);
  BERTH_TRY(only.front().sizes, read_dims(flags.dims));
  BERTH_TRY(std::vector<ResolvedProblem> problems, resolve_buckets(flags, only));
  return std::move(problems.front());
}

}  // namespace berth::app

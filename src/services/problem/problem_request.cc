// SPDX-License-Identifier: Apache-2.0
#include "services/problem/problem_request.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/units.h"
#include "files/files.h"
#include "format/machine_toml.h"
#include "import/costs/costs_file.h"
#include "import/model_file.h"
#include "import/problems/public_problem.h"
#include "machine/library.h"
#include "services/problem/constraints.h"
#include "services/problem/dims.h"
#include "services/problem/exact_set.h"
#include "services/problem/language_model.h"
#include "serving/spec.h"
#include "zoo/zoo.h"

namespace berth {
namespace {

constexpr std::string_view kZoo = "zoo:";
constexpr std::array kObjectives{Objective::kStep, Objective::kPipeline};

bool looks_like_path(const std::string& text) {
  return text.ends_with(".toml") || text.find('/') != std::string::npos || path_exists(text);
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

Result<Loaded> load(const std::string& text, const ProblemOverrides& request, const ImportOptions& options) {
  if (text.starts_with(kZoo)) {
    BERTH_RETURN_IF_ERROR(check_no_options(text, options));
    BERTH_TRY(Graph graph, build_named_model(std::string_view(text).substr(kZoo.size())));
    return Loaded{std::make_shared<const Graph>(std::move(graph)), std::nullopt};
  }
  if (const auto served = split_language_model(text)) {
    BERTH_RETURN_IF_ERROR(check_no_options(text, options));
    BERTH_TRY(const llm::Model model, load_language_model_file(served->path));
    BERTH_TRY(Graph graph, build_serving_model(model, served->assignments));
    return Loaded{std::make_shared<const Graph>(std::move(graph)), std::nullopt};
  }
  if (const auto name = exact_problem_name(text)) {
    BERTH_RETURN_IF_ERROR(check_no_options(text, options));
    BERTH_TRY(Problem problem, load_exact_problem(*name, request));
    return Loaded{std::make_shared<const Problem>(std::move(problem))};
  }
  if (!path_exists(text)) return no_such_graph(text);
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

Status apply_changes(ProblemOverrides& overrides, const MachineChanges& changes) {
  if (changes.empty()) return {};
  if (overrides.machine == nullptr) return bad_input("--set and --add-device change a machine; name one by --machine");
  BERTH_TRY(Machine machine, changed(*overrides.machine, changes));
  overrides.machine = std::make_shared<const Machine>(std::move(machine));
  return {};
}

// "FILE@DEVICE", unless a file has that very name.
Result<CostsFile> read_costs_argument(const std::string& argument) {
  const std::size_t at = argument.rfind('@');
  if (at == std::string::npos || path_exists(argument)) return read_costs_file(argument);
  BERTH_TRY(CostsFile costs, read_costs_file(argument.substr(0, at)));
  costs.device = argument.substr(at + 1);
  if (costs.device.empty()) return bad_input("--costs {}: no device stands behind the @", argument);
  return costs;
}

// The files, each FILE or FILE@DEVICE, against graph and machine.
Result<MatchedCosts> read_costs(std::span<const std::string> arguments, const Graph& graph, const Machine& machine) {
  std::vector<CostsFile> files;
  for (const std::string& argument : arguments) {
    BERTH_TRY(CostsFile file, read_costs_argument(argument));
    files.push_back(std::move(file));
  }
  return match_costs(graph, machine, files);
}

// Times for every op, estimated or measured; what is said about the latter is added to the notes.
Result<LoadedProblem> priced(Loaded loaded, const ProblemRequest& request, const ProblemOverrides& overrides,
                             InputNotes notes, Caller& caller) {
  if (const auto* given = std::get_if<std::shared_ptr<const Problem>>(&loaded.what)) {
    if (!request.costs.empty()) return bad_input("{} brings its own times; leave --costs out", request.graph);
    return LoadedProblem{**given, {}, {}, std::move(notes)};
  }
  if (overrides.machine == nullptr) return no_machine(request.graph);
  const auto& graph = std::get<std::shared_ptr<const Graph>>(loaded.what);
  const Objective objective = overrides.objective.value_or(Objective::kStep);
  if (request.costs.empty()) {
    BERTH_TRY(Problem problem, make_problem(graph, overrides.machine, {}, objective));
    return LoadedProblem{std::move(problem), {}, std::move(loaded.device_of), std::move(notes)};
  }
  BERTH_TRY(MatchedCosts measured, read_costs(request.costs, *graph, *overrides.machine));
  for (const CostsReport& report : measured.reports) notes.add(warnings_about(report), caller);
  BERTH_TRY(Problem problem, make_problem(graph, overrides.machine, measured.costs, {}, objective));
  return LoadedProblem{std::move(problem),
                       {measured.costs.num_ops(), std::move(measured.reports)},
                       std::move(loaded.device_of),
                       std::move(notes)};
}

}  // namespace

Result<std::optional<Objective>> find_objective(const std::string& name) {
  if (name.empty()) return std::optional<Objective>();
  std::vector<std::string_view> names;
  for (const Objective objective : kObjectives) {
    if (objective_name(objective) == name) return std::optional(objective);
    names.push_back(objective_name(objective));
  }
  return bad_input("no objective named '{}'; there are: step, pipeline{}", name,
                   did_you_mean(name, std::span<const std::string_view>(names)));
}

Result<LoadedGraph> load_graph(const std::string& text, const ImportOptions& options) {
  BERTH_TRY(Loaded loaded, load(text, {}, options));
  if (const auto* graph = std::get_if<std::shared_ptr<const Graph>>(&loaded.what)) {
    return LoadedGraph{*graph, nullptr, std::move(loaded.report)};
  }
  const auto& problem = std::get<std::shared_ptr<const Problem>>(loaded.what);
  // The graph lives as long as the problem.
  return LoadedGraph{std::shared_ptr<const Graph>(problem, &problem->graph()), problem, std::nullopt};
}

Result<std::shared_ptr<const Machine>> load_machine(const std::string& text) {
  if (!looks_like_path(text)) {
    BERTH_TRY(Machine machine, builtin_machine(text));
    return std::make_shared<const Machine>(std::move(machine));
  }
  BERTH_TRY(const std::string contents, read_file(text));
  BERTH_TRY(Machine machine, read_machine_toml(contents, text));
  return std::make_shared<const Machine>(std::move(machine));
}

Result<std::vector<LoadedProblem>> load_buckets(const ProblemRequest& request, std::span<const Bucket> buckets,
                                                Caller& caller) {
  // What is quick to find wrong comes first.
  ProblemOverrides overrides{.objective = request.objective};
  if (!request.machine.empty()) {
    BERTH_TRY(overrides.machine, load_machine(request.machine));
  } else if (request.graph.starts_with(kZoo)) {
    return no_machine(request.graph);
  }
  BERTH_RETURN_IF_ERROR(apply_changes(overrides, request.changes));
  std::vector<LoadedProblem> problems;
  for (const Bucket& bucket : buckets) {
    BERTH_TRY(Loaded loaded, load(request.graph, overrides, {bucket.sizes, request.import.step}));
    InputNotes notes{.assumed_sizes = assumed_sizes(loaded.report)};
    if (problems.empty()) notes.add(warnings_about(request.graph, loaded.report), caller);
    BERTH_TRY(LoadedProblem problem, priced(std::move(loaded), request, overrides, std::move(notes), caller));
    BERTH_TRY(problem.problem, constrained(std::move(problem.problem), request.demands, problem.notes, caller));
    problems.push_back(std::move(problem));
  }
  return problems;
}

Result<LoadedProblem> load_problem(const ProblemRequest& request, Caller& caller) {
  const Bucket only{.sizes = request.import.dims, .varied = {}};
  BERTH_TRY(std::vector<LoadedProblem> problems, load_buckets(request, std::span(&only, 1), caller));
  return std::move(problems.front());
}

Result<std::optional<LoadedProblem>> load_unchanged(const ProblemRequest& request) {
  if (request.changes.empty()) return std::optional<LoadedProblem>();
  ProblemRequest unchanged = request;
  unchanged.changes = {};
  Caller nobody;
  BERTH_TRY(LoadedProblem problem, load_problem(unchanged, nobody));
  return std::optional(std::move(problem));
}

}  // namespace berth

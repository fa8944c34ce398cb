// SPDX-License-Identifier: Apache-2.0
#include "app/resolve.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "app/terminal.h"
#include "base/text.h"
#include "io/files.h"
#include "io/machine_toml.h"
#include "io/model_file.h"
#include "io/public_problem.h"
#include "machine/library.h"
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

// What a model's file leaves open makes every number too small: said once, on stderr.
void warn_about(const std::string& path, const LowerReport& report) {
  constexpr std::size_t kMostNames = 3;
  std::vector<std::string> dims;
  for (const auto& [name, count] : report.assumed_dims) dims.push_back(name);
  const auto list = [&](const std::vector<std::string>& names) {
    const auto shown = std::span(names).first(std::min(names.size(), kMostNames));
    return fmt::format("{}{}", fmt::join(shown, ", "), names.size() > kMostNames ? ", ..." : "");
  };
  if (!dims.empty()) {
    print_error(
        fmt::format("warning: {}: {} dimensions have no size and count as 1: {}", path, dims.size(), list(dims)));
  }
  if (!report.unknown_shapes.empty()) {
    print_error(fmt::format("warning: {}: the sizes of {} values are not known and count as nothing: {}", path,
                            report.unknown_shapes.size(), list(report.unknown_shapes)));
  }
  if (!report.open_branches.empty()) {
    print_error(fmt::format("warning: {}: it does not say which branch of {} nodes runs; the larger one counts: {}",
                            path, report.open_branches.size(), list(report.open_branches)));
  }
  if (!report.open_loops.empty()) {
    print_error(fmt::format("warning: {}: it does not say how often {} loops turn; one turn counts: {}", path,
                            report.open_loops.size(), list(report.open_loops)));
  }
}

Result<GraphOrProblem> resolve(const std::string& text, const ProblemRequest& request) {
  if (text.starts_with(kZoo)) {
    BERTH_TRY(Graph graph, build_zoo_model(std::string_view(text).substr(kZoo.size())));
    return GraphOrProblem(std::make_shared<const Graph>(std::move(graph)));
  }
  if (!exists(text)) return no_such_graph(text);
  if (is_model_file(text)) {
    BERTH_TRY(Lowered lowered, import_model(text));
    warn_about(text, lowered.report);
    return GraphOrProblem(std::make_shared<const Graph>(std::move(lowered.graph)));
  }
  return load_graph_or_problem(text, request);
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
  return bad_input("no objective named '{}'{}; there are: step, pipeline", text,
                   did_you_mean(text, std::span<const std::string_view>(names)));
}

}  // namespace

Result<ResolvedGraph> resolve_graph(const std::string& text) {
  BERTH_TRY(const GraphOrProblem loaded, resolve(text, {}));
  if (const auto* graph = std::get_if<std::shared_ptr<const Graph>>(&loaded)) return ResolvedGraph{*graph, nullptr};
  const auto& problem = std::get<std::shared_ptr<const Problem>>(loaded);
  return ResolvedGraph{std::shared_ptr<const Graph>(problem, &problem->graph()), problem};  // lives as long as it
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

Result<Problem> resolve_problem(const ProblemFlags& flags) {
  // What is quick to find wrong comes first.
  ProblemRequest request;
  BERTH_TRY(request.objective, resolve_objective(flags.objective));
  if (!flags.machine.empty()) {
    BERTH_TRY(request.machine, resolve_machine(flags.machine));
  } else if (flags.graph.starts_with(kZoo)) {
    return no_machine(flags.graph);
  }
  BERTH_TRY(const GraphOrProblem loaded, resolve(flags.graph, request));
  if (const auto* problem = std::get_if<std::shared_ptr<const Problem>>(&loaded)) return **problem;
  if (request.machine == nullptr) return no_machine(flags.graph);
  return make_problem(std::get<std::shared_ptr<const Graph>>(loaded), request.machine, {},
                      request.objective.value_or(Objective::kStep));
}

}  // namespace berth::app

// SPDX-License-Identifier: Apache-2.0
// place() and score(): problems made of graph, machine and constraints, and plans for them.
#include <algorithm>
#include <atomic>
#include <thread>

#include "base/text.h"
#include "bindings.h"
#include "files/files.h"
#include "format/plan_file.h"
#include "import/plans/foreign_plan.h"
#include "plan/planners.h"
#include "problem/demands/resolve.h"
#include "sim/bounds/bounds.h"

namespace berth::python {
namespace {

using Constraint = std::pair<std::string, std::string>;  // {"pin", "embedding=gpu0"}

Demand demand_of(const Constraint& constraint) {
  const auto forms = demand_forms();
  const auto form = std::ranges::find(forms, constraint.first, &DemandForm::name);
  if (form == forms.end()) {
    std::vector<std::string> names;
    for (const DemandForm& known : forms) names.emplace_back(known.name);
    throw BadInput(fmt::format("no constraint named '{}'{}; there are: {}", constraint.first,
                               did_you_mean(constraint.first, std::span<const std::string>(names)), join(names, ", ")));
  }
  return unwrap(parse_demand(*form, constraint.second, source_of_flag(*form, constraint.second).substr(2)));
}

Objective objective_of(const std::string& name) {
  for (const Objective objective : {Objective::kStep, Objective::kPipeline}) {
    if (objective_name(objective) == name) return objective;
  }
  throw BadInput(fmt::format("no objective named '{}'; there are: step, pipeline", name));
}

std::shared_ptr<const Problem> problem_of(const LoadedGraph& graph, const LoadedMachine* machine,
                                          const std::string& objective, const std::vector<Constraint>& constraints) {
  if (graph.problem == nullptr && machine == nullptr) {
    throw BadInput(
        fmt::format("{} is a graph, so it needs a machine (berth.machines() lists the built-in ones)", graph.source));
  }
  if (graph.problem != nullptr && machine != nullptr) {
    throw BadInput(fmt::format("{} brings its own machine; give None", graph.source));
  }
  Problem problem = graph.problem != nullptr
                        ? *graph.problem
                        : unwrap(make_problem(graph.graph, machine->machine, {},
                                              objective_of(objective.empty() ? "step" : objective)));
  if (!constraints.empty()) {
    std::vector<Demand> demands;
    for (const Constraint& constraint : constraints) demands.push_back(demand_of(constraint));
    const auto resolved = unwrap(resolve_demands(problem.graph(), problem.machine(), demands));
    problem = unwrap(constrain(problem, resolved));
  }
  return std::make_shared<const Problem>(std::move(problem));
}

const PlannerInfo& planner_named(const std::string& name) {
  if (const PlannerInfo* planner = find_classical_planner(name); planner != nullptr && planner->make != nullptr) {
    return *planner;
  }
  std::vector<std::string> names;
  for (const PlannerInfo& planner : classical_planners()) {
    if (planner.make != nullptr) names.emplace_back(planner.name);
  }
  throw BadInput(
      fmt::format("no planner named '{}' in this package{}; it has {} (learned planners come with the program)", name,
                  did_you_mean(name, std::span<const std::string>(names)), join(names, ", ")));
}

// Calls Python now and then, so that it sees Ctrl-C; true if it did.
bool python_wants_to_stop(const py::object& progress, const SearchState& state) {
  const py::gil_scoped_acquire python;
  if (PyErr_CheckSignals() != 0) {
    PyErr_Clear();
    return true;
  }
  if (!progress.is_none()) {
    py::object best = py::none();
    if (state.best) best = py::float_(to_seconds(*state.best));
    progress(state.elapsed_s, state.evaluations, best, to_seconds(state.lower_bound));
  }
  return false;
}

PlacedGraph place(const LoadedGraph& graph, const LoadedMachine* machine, const std::string& planner_name,
                  const std::string& objective, const std::vector<Constraint>& constraints, double budget_s,
                  std::uint64_t evaluations, std::uint64_t seed, int threads, const py::object& progress) {
  const PlannerInfo& planner = planner_named(planner_name);
  PlacedGraph placed{.graph = graph, .problem = problem_of(graph, machine, objective, constraints)};
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const Budget budget{budget_s, evaluations, seed, threads > 0 ? threads : cores};
  std::atomic<bool> stop = false;
  std::exception_ptr failure;
  const py::gil_scoped_release others_may_run;
  Search search(*placed.problem, budget);
  search.set_stop_flag(&stop);
  search.set_progress([&](const SearchState& state) {
    try {
      if (python_wants_to_stop(progress, state)) placed.interrupted = stop = true;
    } catch (...) {  // of the user's function
      failure = std::current_exception();
      stop = true;
    }
  });
  placed.plan = unwrap(planner.make()->plan(search));
  if (failure) std::rethrow_exception(failure);
  const bool is_best = search.has_best() && search.best_plan() == placed.plan;
  placed.score = is_best ? search.best_score() : simulate(*placed.problem, placed.plan);
  placed.lower_bound = search.lower_bound();
  placed.planner = planner.name;
  placed.note = search.note();
  placed.search_s = search.elapsed_s();
  placed.evaluations = search.evaluations();
  placed.seed = seed;
  return placed;
}

PlacedGraph score(const LoadedGraph& graph, const LoadedMachine* machine, const std::string& objective,
                  const std::string& path) {
  PlacedGraph placed{.graph = graph, .problem = problem_of(graph, machine, objective, {})};
  const std::string text = unwrap(read_file(path));
  if (is_foreign_plan(path, text)) {
    ForeignPlan foreign = unwrap(read_foreign_plan(text, {path, *placed.problem, graph.source, graph.import}));
    placed.note = fmt::format("{}: it {}", foreign.format, words_about(foreign.given));
    placed.plan = std::move(foreign.given.plan);
  } else {
    placed.plan = unwrap(parse_plan(text, path, placed.problem->graph(), placed.problem->machine()));
  }
  if (const auto broken = verify(*placed.problem, placed.plan)) raise(within(path, *broken));
  placed.score = simulate(*placed.problem, placed.plan);
  placed.lower_bound = lower_bound(*placed.problem, !placed.plan.fusions.empty()).value();
  placed.planner = "file";
  placed.evaluations = 1;
  return placed;
}

}  // namespace

void add_planning(py::module_& module) {
  module.def("place", place, py::arg("graph"), py::arg("machine").none(true), py::arg("planner"), py::arg("objective"),
             py::arg("constraints"), py::arg("budget_s"), py::arg("evaluations"), py::arg("seed"), py::arg("threads"),
             py::arg("progress"));
  module.def("score", score, py::arg("graph"), py::arg("machine").none(true), py::arg("objective"), py::arg("path"),
             py::call_guard<py::gil_scoped_release>());
  module.def("planners", [] {
    std::vector<std::tuple<std::string, std::string, bool>> planners;  // name, summary, whether it is in this build
    for (const PlannerInfo& planner : classical_planners()) {
      planners.emplace_back(planner.name, planner.summary, planner.make != nullptr);
    }
    return planners;
  });
}

}  // namespace berth::python

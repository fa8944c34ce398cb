// SPDX-License-Identifier: Apache-2.0
// Plans for a problem: one, several planners side by side, several sizes, and a plan that exists.
#include <algorithm>
#include <thread>

#include "bindings.h"
#include "services/compare/compare.h"
#include "services/compare/sweep.h"
#include "services/plan/catalog.h"
#include "services/plan/place.h"

namespace berth::python {
namespace {

using MaybePlan = std::optional<NativePlan>;
using Notes = std::vector<std::string>;

// A plan, the best single device, the same on the machine as it is, and what was said of the input.
using Placed = std::tuple<NativePlan, MaybePlan, MaybePlan, Notes>;

Budget budget_of(double seconds, std::uint64_t evaluations, std::uint64_t seed, int threads) {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return {seconds, evaluations, seed, threads > 0 ? threads : cores};
}

// The GIL is free while it works, and PythonCaller takes it to speak.
template <typename Work>
auto without_gil(PythonCaller& caller, const Work& work) {
  auto answer = [&] {
    const py::gil_scoped_release others_may_run;
    return work();
  }();
  caller.rethrow();
  return unwrap(std::move(answer));
}

// PlaceAnswer and ScoreAnswer alike.
template <typename Answer>
Placed placed(const ProblemRequest& request, Answer answer, const PythonCaller& caller) {
  if (answer.outcome.error) raise(*answer.outcome.error);
  const auto loaded = std::make_shared<const LoadedProblem>(std::move(answer.loaded));
  const NativePlan plan{request, loaded, std::move(answer.outcome)};
  MaybePlan single, before;
  if (answer.single && !answer.single->error) single = plan.with(*std::move(answer.single));
  if (answer.before && !answer.before->outcome.error) {
    ProblemRequest unchanged = request;
    unchanged.changes = {};
    before = NativePlan{unchanged, std::make_shared<const LoadedProblem>(std::move(answer.before->loaded)),
                        std::move(answer.before->outcome)};
  }
  return {plan, single, before, caller.notes()};
}

Placed place_graph(const ProblemRequest& problem, const std::string& planner, const std::string& placement,
                   const std::string& fusion, const std::string& schedule, double budget_s, std::uint64_t evaluations,
                   std::uint64_t seed, int threads, const py::object& progress) {
  PlaceRequest request{.problem = problem, .placement = placement};
  if (placement.empty()) request.planner = unwrap(Catalog().find(planner));
  request.stages = unwrap(find_stages(fusion, schedule));
  request.budget = budget_of(budget_s, evaluations, seed, threads);
  PythonCaller caller(progress);
  return placed(problem, without_gil(caller, [&] { return place(request, caller); }), caller);
}

Placed score_graph(const ProblemRequest& problem, const std::string& path) {
  PythonCaller caller;
  return placed(problem, without_gil(caller, [&] { return score({problem, path}, caller); }), caller);
}

// Rows with a plan, best first; for those without one who and why; the best single device.
std::tuple<std::vector<NativePlan>, std::vector<std::pair<std::string, std::string>>, MaybePlan, Notes>
compare_planners(const ProblemRequest& problem, const std::string& planners, double budget_s, std::uint64_t evaluations,
                 std::uint64_t seed, int threads, const py::object& progress) {
  CompareRequest request{.problem = problem, .planners = unwrap(Catalog().find_all(planners))};
  request.budget = budget_of(budget_s, evaluations, seed, threads);
  PythonCaller caller(progress);
  CompareAnswer answer = without_gil(caller, [&] { return compare(request, caller); });
  Comparison& comparison = answer.comparison;
  const auto loaded = std::make_shared<const LoadedProblem>(std::move(answer.loaded));
  std::vector<NativePlan> plans;
  std::vector<std::pair<std::string, std::string>> failures;
  for (Outcome& row : comparison.rows) {
    if (row.error) {
      failures.emplace_back(row.planner, in_python(row.error->message));
    } else {
      plans.push_back({problem, loaded, std::move(row)});
    }
  }
  MaybePlan single;
  if (comparison.single && !comparison.single->error) single = NativePlan{problem, loaded, *comparison.single};
  return {plans, failures, single, caller.notes()};
}

// Per value: itself, the plan, how much is done per second; and the verdict.
std::tuple<std::vector<std::tuple<std::string, MaybePlan, double>>, std::string, Notes> sweep_values(
    const ProblemRequest& problem, const std::string& over, const std::string& planner_name, double budget_s,
    std::uint64_t evaluations, std::uint64_t seed, int threads, const py::object& progress) {
  const Sweep sweep = unwrap(parse_sweep(over));
  const ChosenPlanner planner = unwrap(Catalog().find(planner_name));
  PythonCaller caller(progress);
  std::vector<MaybePlan> plans;
  const auto keep = [&](const SweepRow& row, const LoadedProblem& loaded) {
    const Result<ProblemRequest> request = request_at(problem, sweep, row.value);
    const bool is_plan = request && !row.outcome.error;
    plans.push_back(is_plan ? MaybePlan({*request, std::make_shared<const LoadedProblem>(loaded), row.outcome})
                            : std::nullopt);
  };
  const std::vector<SweepRow> rows = without_gil(caller, [&] {
    return run_sweep(problem, sweep, planner, budget_of(budget_s, evaluations, seed, threads), caller, keep);
  });
  std::vector<std::tuple<std::string, MaybePlan, double>> values;
  for (std::size_t i = 0; i < rows.size(); ++i) values.emplace_back(rows[i].value, plans[i], rate(sweep, rows[i]));
  return {values, in_python(ending(sweep, rows)), caller.notes()};
}

}  // namespace

void add_planning(py::module_& module) {
  module.def("place", place_graph, py::arg("request"), py::arg("planner"), py::arg("placement"), py::arg("fusion"),
             py::arg("schedule"), py::arg("budget_s"), py::arg("evaluations"), py::arg("seed"), py::arg("threads"),
             py::arg("progress"));
  module.def("score", score_graph, py::arg("request"), py::arg("path"));
  module.def("compare", compare_planners, py::arg("request"), py::arg("planners"), py::arg("budget_s"),
             py::arg("evaluations"), py::arg("seed"), py::arg("threads"), py::arg("progress"));
  module.def("sweep", sweep_values, py::arg("request"), py::arg("over"), py::arg("planner"), py::arg("budget_s"),
             py::arg("evaluations"), py::arg("seed"), py::arg("threads"), py::arg("progress"));
  module.def("planners", [] {
    std::vector<std::tuple<std::string, std::string, bool, bool>> planners;  // name, summary, built here, learned
    for (const CatalogEntry& entry : Catalog().entries()) {
      planners.emplace_back(entry.info.name, entry.info.summary, entry.built, entry.learned);
    }
    return planners;
  });
}

}  // namespace berth::python

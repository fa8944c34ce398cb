// SPDX-License-Identifier: Apache-2.0
// Requests and answers, as the command line and the Python package have them: words in, values out. A plan is asked for
// under a constraint, explained, exported, read back, and shown as a page; then it is asked how much a second GPU
// brings.
//
//   ask_for_a_plan FOLDER
#include <berth/base/units.h>
#include <berth/export/exporter.h>
#include <berth/problem/demands/demand.h>
#include <berth/problem/objective.h>
#include <berth/services/caller.h>
#include <berth/services/compare/sweep.h>
#include <berth/services/explain/explain.h>
#include <berth/services/explain/report_file.h>
#include <berth/services/export/export_plan.h>
#include <berth/services/plan/catalog.h>
#include <berth/services/plan/place.h>
#include <berth/services/plan/plan_files.h>
#include <berth/services/problem/problem_request.h>
#include <berth/sim/critical_path.h>
#include <berth/sim/simulator.h>
#include <fmt/core.h>

#include <algorithm>

using namespace berth;

// A class derived from Caller hears what may mislead, and may raise a flag to stop.
class Teller : public Caller {
 public:
  void note(const std::string& text) override { fmt::print(stderr, "{}\n", text); }
};

// "pin", "embedding=cpu" and the like: as docs/constraints.md has them.
Result<Demand> demand_of(std::string_view name, const std::string& text) {
  const auto form = std::ranges::find(demand_forms(), name, &DemandForm::name);
  if (form == demand_forms().end()) return bad_input("no constraint named '{}'", name);
  return parse_demand(*form, text, "the example");
}

Status ask(const std::string& folder) {
  Teller teller;
  BERTH_TRY(const ChosenPlanner planner, Catalog().find("auto"));
  BERTH_TRY(const Demand demand, demand_of("reserve", "gpu1=11 GiB"));
  const std::string path = folder + "/plan.json";
  const PlaceRequest request{
      .problem = {.graph = "zoo:rnnlm", .machine = "k40x2", .objective = Objective::kStep, .demands = {demand}},
      .planner = planner,
      .budget = {.evaluations = 300},
      .output = path};
  BERTH_TRY(const PlaceAnswer answer, place(request, teller));
  if (answer.outcome.error) return *answer.outcome.error;
  BERTH_RETURN_IF_ERROR(answer.saved);
  const Problem& problem = answer.loaded.problem;
  fmt::print("{} {}, {}\n", objective_name(problem.objective()), format_seconds(*answer.outcome.value_s()),
             answer.outcome.note);

  for (const std::string& limit : explain_plan(problem, answer.outcome).limits) fmt::print("- {}\n", limit);
  BERTH_TRY(const ReadPlan read, read_plan(path, request.problem, problem));
  const Timeline timeline = simulate_timeline(problem, read.plan);
  fmt::print("{} pieces on the critical path\n", critical_path(problem, read.plan, timeline).size());
  const PlanExportRequest drawing{
      .problem = request.problem, .plan = path, .format = "dot", .output = folder + "/plan.dot"};
  BERTH_TRY(const PlanExportAnswer exported, export_plan(drawing, teller));
  fmt::print("plan.dot {}\n", exported.format.summary);
  if (check_reportable().ok()) {  // a build may be without it
    BERTH_RETURN_IF_ERROR(save_report(folder + "/plan.html", problem, {answer.outcome}, answer.single, "example"));
  }

  BERTH_TRY(const Sweep sweep, parse_sweep("devices=1,2"));
  const auto print = [&](const SweepRow& row, const LoadedProblem& /*loaded*/) {
    fmt::print("{} = {}: {}\n", sweep.name, row.value, format_seconds(row.outcome.value_s().value_or(0.0)));
  };
  ProblemRequest free = request.problem;
  free.demands.clear();
  BERTH_TRY(const auto rows, run_sweep(free, sweep, planner, request.budget, teller, print));
  fmt::print("{}\n", ending(sweep, rows));
  return {};
}

int main(int argc, char** argv) {
  const Status status = argc == 2 ? ask(argv[1]) : bad_input("ask_for_a_plan FOLDER");
  if (!status.ok()) fmt::print(stderr, "{}\n", status.error().message);
  return status.ok() ? 0 : 1;
}

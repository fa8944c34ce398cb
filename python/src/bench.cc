// SPDX-License-Identifier: Apache-2.0
// Leaderboards: planners by name, functions of Python as planners, and plans in files.
#include <thread>
#include <variant>

#include "bindings.h"
#include "files/files.h"
#include "native_problem.h"
#include "run_budget.h"
#include "services/bench/bench.h"
#include "services/bench/dataset.h"
#include "services/bench/leaderboard.h"
#include "services/bench/leaderboard_files.h"
#include "services/json/bench_json.h"
#include "services/plan/catalog.h"

namespace berth::python {
namespace {

// A function takes a problem, a budget, and where the problem comes from: graph, machine and setting of the row. It
// gives nothing (the best plan that was seen counts), words that say why there is no plan, or devices and priorities of
// one. Shared, so that it can be passed on without the GIL; whoever lets it go last has the GIL.
using SharedFunction = std::shared_ptr<const py::function>;

class BenchCaller : public PythonCaller {
 public:
  using PythonCaller::PythonCaller;
  using PythonCaller::show;
  void show(const std::string& text) override { tell(text); }
};

struct Given {
  std::optional<Plan> plan;
  std::optional<Error> failure;
};

class FunctionPlanner : public Planner {
 public:
  FunctionPlanner(SharedFunction function, SuiteRow row, NativeProblem problem, BenchCaller& caller)
      : function_(std::move(function)), row_(std::move(row)), problem_(std::move(problem)), caller_(caller) {}

  Result<Plan> plan(Search& search) override {
    const Given given = ask(search);
    if (given.failure) return *given.failure;
    if (given.plan) return *given.plan;
    if (search.has_best()) return search.best_plan();
    return infeasible("it has evaluated no plan and returned none");
  }

 private:
  Given ask(Search& search) {
    const py::gil_scoped_acquire python;
    const auto budget = std::make_shared<RunBudget>(search);
    problem_.batches = std::make_shared<BatchRunner>(
        problem_.problem(), [budget](const PlanBatch& plans) -> const BatchScores& { return budget->judge(plans); });
    Given given;
    try {
      given = read((*function_)(py::cast(problem_), budget, row_.graph, row_.machine, row_.setting));
    } catch (const BadInput& error) {
      given.failure = bad_input("{}", error.what());
    } catch (py::error_already_set& error) {
      if (!error.matches(PyExc_KeyboardInterrupt)) {
        budget->end();
        throw;
      }
      caller_.stop();
    }
    budget->end();
    return given;
  }

  Given read(const py::object& answer) {
    if (answer.is_none()) return {};
    if (py::isinstance<py::str>(answer)) return {{}, infeasible("{}", answer.cast<std::string>())};
    const auto [devices, priorities] = answer.cast<std::tuple<py::array, std::optional<BatchRunner::Priorities>>>();
    return {plan_of_row(problem_, devices, priorities), {}};
  }

  SharedFunction function_;
  SuiteRow row_;
  NativeProblem problem_;
  BenchCaller& caller_;
};

Contestant contestant_of(const std::string& name, const py::function& function, BenchCaller& caller) {
  const auto shared = std::make_shared<const py::function>(function);
  const auto planner_for = [name, shared, &caller](const SuiteRow& row, std::shared_ptr<const LoadedProblem> loaded) {
    const NativeProblem problem{row.request(), std::move(loaded)};
    return ChosenPlanner{name,
                         [=, &caller] { return std::make_unique<FunctionPlanner>(shared, row, problem, caller); }};
  };
  return {.name = name, .planner = {}, .planner_for = planner_for};
}

struct BenchWords {
  std::string suite;
  std::vector<std::string> rows;
  std::vector<std::pair<std::string, std::variant<std::string, py::function>>> planners;
  std::vector<std::pair<std::string, std::string>> plans;  // names with folders or patterns
  std::uint64_t evaluations = 0;
  double budget_s = 0.0;
  std::uint64_t seeds = 0, seed = 0;
  int threads = 0;
  std::string simulate_on, saved_plans, made_by;
};

Suite suite_of(const std::string& name, const std::vector<std::string>& rows) {
  return unwrap(with_rows(unwrap(find_suite(name)), rows));
}

BenchRequest bench_request_of(const BenchWords& words, BenchCaller& caller) {
  BenchRequest request{.suite = suite_of(words.suite, words.rows), .contestants = {}};
  for (const auto& [name, planner] : words.planners) {
    if (const auto* function = std::get_if<py::function>(&planner)) {
      request.contestants.push_back(contestant_of(name, *function, caller));
    } else {
      request.contestants.push_back({.name = name, .planner = unwrap(Catalog().find(std::get<std::string>(planner)))});
    }
  }
  for (const auto& [name, files] : words.plans) {
    request.contestants.push_back(
        {.name = name, .planner = {}, .planner_for = {}, .plans = unwrap(PlanFiles::of(files))});
  }
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  request.budget = {words.budget_s, words.evaluations, words.seed, words.threads > 0 ? words.threads : cores};
  request.budget.simulate_on = unwrap(find_simulate_on(words.simulate_on));
  request.seeds = words.seeds;
  request.plans = words.saved_plans;
  request.made_by = words.made_by;
  return request;
}

std::pair<BenchAnswer, std::vector<std::string>> hold_bench(const BenchWords& words, const py::object& progress) {
  BenchCaller caller(progress);
  const BenchRequest request = bench_request_of(words, caller);
  Result<BenchAnswer> answer = [&] {
    const py::gil_scoped_release others_may_run;
    return bench(request, caller);
  }();
  caller.rethrow();
  BenchAnswer held = unwrap(std::move(answer));
  unwrap(held.saved);
  return {std::move(held), caller.notes()};
}

std::string export_rows(const std::string& suite, const std::vector<std::string>& rows, const std::string& folder) {
  BenchCaller caller;
  const Suite wanted = suite_of(suite, rows);
  const auto written = [&] {
    const py::gil_scoped_release others_may_run;
    return export_suite(wanted, folder, caller);
  }();
  return suite_json(wanted, unwrap(written));
}

// A page, a line for every run, or everything, by the ending.
void save_board(const BenchAnswer& self, const std::string& path) {
  if (path.ends_with(".html")) return unwrap(write_file_atomically(path, leaderboard_html(self)));
  if (path.ends_with(".csv")) return unwrap(write_file_atomically(path, leaderboard_csv(self)));
  if (path.ends_with(".json")) return unwrap(write_file_atomically(path, bench_json(self)));
  throw BadInput(fmt::format("{}: a leaderboard is written as .html, .csv or .json", path));
}

using TextCells = std::pair<std::vector<std::string>, std::vector<std::vector<std::string>>>;
TextCells cells_of(const TextTable& table) { return {table.names, table.lines}; }

void add_words(py::module_& module) {
  py::class_<BenchWords>(module, "BenchWords")
      .def(py::init<>())
      .def_readwrite("suite", &BenchWords::suite)
      .def_readwrite("rows", &BenchWords::rows)
      .def_readwrite("planners", &BenchWords::planners)
      .def_readwrite("plans", &BenchWords::plans)
      .def_readwrite("evaluations", &BenchWords::evaluations)
      .def_readwrite("budget_s", &BenchWords::budget_s)
      .def_readwrite("seeds", &BenchWords::seeds)
      .def_readwrite("seed", &BenchWords::seed)
      .def_readwrite("threads", &BenchWords::threads)
      .def_readwrite("simulate_on", &BenchWords::simulate_on)
      .def_readwrite("saved_plans", &BenchWords::saved_plans)
      .def_readwrite("made_by", &BenchWords::made_by);
}

}  // namespace

void add_bench(py::module_& module) {
  py::register_exception<BudgetSpent>(module, "BudgetSpent");
  py::class_<RunBudget, std::shared_ptr<RunBudget>>(module, "RunBudget")
      .def("count", &RunBudget::count, py::arg("evaluations"))
      .def_property_readonly("is_spent", &RunBudget::is_spent)
      .def_property_readonly("evaluations", &RunBudget::evaluations)
      .def_property_readonly("evaluations_left", &RunBudget::evaluations_left)
      .def_property_readonly("seconds_left", &RunBudget::seconds_left)
      .def_property_readonly("seed", &RunBudget::seed)
      .def_property_readonly("threads", &RunBudget::threads);
  py::class_<BenchAnswer>(module, "BenchAnswer")
      .def("json", &bench_json)
      .def("csv", &leaderboard_csv)
      .def("html", &leaderboard_html)
      .def("save", save_board, py::arg("path"))
      .def("headline", &headline)
      .def("remarks", &remarks)
      .def("tables", [](const BenchAnswer& self) {
        return std::pair(cells_of(standings_table(self)), cells_of(problems_table(self)));
      });
  add_words(module);
  module.def("bench", hold_bench, py::arg("words"), py::arg("progress"));
  module.def("export_suite", export_rows, py::arg("suite"), py::arg("rows"), py::arg("folder"));
  module.def("suites", &suites_json);
}

}  // namespace berth::python

// SPDX-License-Identifier: Apache-2.0
// Standard Task Graphs of 50 tasks on 2, 4, 8 and 16 equal processors: how often a planner reaches the published
// optimum, and by how much it misses. Tables with four columns give a bound and the best schedule known instead.
//
//   stg_bench [planner] [seconds per problem] [evaluations per problem]
//
// The planner "schedules" is the schedule search of `auto` by itself. Exit code 1 if a bar is missed.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/text.h"
#include "files/files.h"
#include "import/problems/public_problem.h"
#include "plan/explore/list_search.h"
#include "plan/planners.h"
#include "workloads.h"

namespace berth::bench {
namespace {

constexpr double kLeastReached = 0.95;  // share of the known optima
constexpr double kMostGap = 0.002;      // on average, over all problems

struct Case {
  std::string file, processors;
  double answer;    // the optimum, or the best schedule known
  bool is_optimum;  // proved by others
};

std::vector<Case> load_cases() {
  const std::string folder = data_folder() + "/stg/";
  std::vector<Case> cases;
  for (const char* processors : {"2", "4", "8", "16"}) {
    const std::string table =
        value_or_exit(read_file(folder + "Optimal_values/Case50_" + std::string(processors) + "_OPT.csv"));
    for (const std::string_view line : split(table, '\n')) {
      const auto cells = split(trim(line), ',');
      if (cells.size() < 3) continue;
      cases.push_back(
          {folder + std::string(cells[0]), processors, std::stod(std::string(cells.back())), cells.size() == 3});
    }
  }
  return cases;
}

void plan(Search& search, const std::string& planner) {
  if (planner == "schedules") return search_lists(search);
  const PlannerInfo* info = find_classical_planner(planner);
  if (info == nullptr) {
    std::fprintf(stderr, "no planner named '%s' in this build\n", planner.c_str());
    std::exit(2);
  }
  static_cast<void>(value_or_exit(info->make()->plan(search)));
}

struct Totals {
  int problems = 0, optima = 0, reached = 0, open = 0, matched = 0, bettered = 0, proved = 0, below = 0;
  double gap = 0.0, seconds = 0.0, slowest = 0.0;

  void add(const Case& one, const Search& search) {
    const double found = to_seconds(search.best_score().step_time), gap_here = found / one.answer - 1;
    ++problems;
    seconds += search.elapsed_s();
    slowest = std::max(slowest, search.elapsed_s());
    gap += std::max(gap_here, 0.0);
    proved += search.best_score().step_time <= search.lower_bound() ? 1 : 0;
    if (one.is_optimum) {
      ++optima;
      reached += gap_here < 1e-9 ? 1 : 0;
      below += gap_here < -1e-9 ? 1 : 0;
    } else {
      ++open;
      matched += gap_here < 1e-9 ? 1 : 0;
      bettered += gap_here < -1e-9 ? 1 : 0;
    }
  }

  void print() const {
    std::printf("%d problems: %d of %d optima reached, %d below an optimum\n", problems, reached, optima, below);
    std::printf("%d of %d open ones as good as the best schedule known, %d of them better\n", matched, open, bettered);
    std::printf("mean gap %.4f %%, %d proved optimal, %.1f s in all, %.2f s the slowest\n", 100 * gap / problems,
                proved, seconds, slowest);
  }

  // A schedule below a proved optimum is a mistake of ours.
  [[nodiscard]] bool passes() const {
    bool all = true;
    const auto check = [&](bool passed, const char* what, double percent) {
      std::printf("%s: %s %g %%\n", passed ? "PASS" : "FAIL", what, percent);
      all = all && passed;
    };
    check(below == 0, "problems below a known optimum at most", 0);
    check(reached >= kLeastReached * optima, "known optima reached at least", 100 * kLeastReached);
    check(gap <= kMostGap * problems, "mean gap at most", 100 * kMostGap);
    return all;
  }
};

int run(int argc, char** argv) {
  const std::string planner = argc > 1 ? argv[1] : "auto";
  Budget budget;
  budget.time_s = argc > 2 ? std::atof(argv[2]) : 2.0;
  budget.evaluations = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 0;
  Totals totals;
  for (const Case& one : load_cases()) {
    const auto machine = std::make_shared<const Machine>(value_or_exit(builtin_machine("procx" + one.processors)));
    const Problem problem = value_or_exit(load_public_problem(one.file, {.machine = machine}));
    Search search(problem, budget);
    plan(search, planner);
    totals.add(one, search);
    const double found = to_seconds(search.best_score().step_time);
    if (found > one.answer + 1e-9) {
      std::printf("%s on %s: %g, known %g\n", std::filesystem::path(one.file).filename().c_str(),
                  one.processors.c_str(), found, one.answer);
    }
  }
  totals.print();
  return totals.passes() ? 0 : 1;
}

}  // namespace
}  // namespace berth::bench

int main(int argc, char** argv) { return berth::bench::run(argc, argv); }

// SPDX-License-Identifier: Apache-2.0
// A planner of your own: hill climbing over stretches of the graph. It runs as Berth's planners do, is verified and
// judged as they are, and stands in one table with `auto` and `heft`; then on the leaderboard, over several problems
// and seeds.
#include <berth/base/rng.h>
#include <berth/machine/library.h>
#include <berth/plan/planner.h>
#include <berth/plan/planners.h>
#include <berth/plan/search/placement.h>
#include <berth/services/bench/bench.h>
#include <berth/services/bench/leaderboard.h>
#include <berth/services/bench/suite.h>
#include <berth/services/caller.h>
#include <berth/services/compare/compare.h>
#include <berth/services/plan/chosen_planner.h>
#include <berth/services/plan/judge.h>
#include <berth/services/plan/outcome.h>
#include <berth/zoo/zoo.h>
#include <fmt/core.h>

#include <algorithm>

using namespace berth;

// Everything begins on one device. Then a stretch of ops, in the order in which they can run, goes to a device drawn
// by chance, and stays there if the step becomes shorter for it.
class HillClimber : public Planner {
 public:
  Result<Plan> plan(Search& search) override {
    const Problem& problem = search.problem();
    Rng rng(search.budget().seed);
    Plan plan = plan_on_one_device(problem, worker_devices(problem).front());
    Score score = search.evaluate(plan);
    while (!search.should_stop()) {
      Plan moved = with_moved_stretch(problem, plan, rng);
      const Score& found = search.evaluate(moved);
      if (!better(found, score)) continue;
      plan = std::move(moved);
      score = found;
    }
    return submit(search, std::move(plan), "hill-climber");
  }

 private:
  static Plan with_moved_stretch(const Problem& problem, Plan plan, Rng& rng) {
    const std::vector<DeviceId> devices = worker_devices(problem);
    const DeviceId to = devices[rng.below(devices.size())];
    const std::span<const OpId> order = problem.graph().topological_order();
    const std::size_t first = rng.below(order.size());
    const std::size_t length = std::min<std::size_t>(std::size_t{1} << rng.below(10), order.size() - first);
    for (const OpId op : order.subspan(first, length)) {
      const std::uint32_t unit = problem.unit(op);  // ops that have to stay together
      const DeviceId device = allowed_or_fallback(problem, unit, to);
      for (const OpId member : problem.unit_ops(unit)) plan.device_of[index(member)] = device;
    }
    return plan;
  }
};

Result<Problem> make_example() {
  BERTH_TRY(auto graph, build_zoo_model("nmt-2,batch=64,unroll=10"));
  BERTH_TRY(auto machine, builtin_machine("k40x2"));
  return make_problem(std::make_shared<const Graph>(std::move(graph)),
                      std::make_shared<const Machine>(std::move(machine)));
}

Status compare_with_ours() {
  BERTH_TRY(const Problem problem, make_example());
  const ChosenPlanner mine{"hill-climber", std::make_unique<HillClimber>};
  const std::vector<ChosenPlanner> planners{chosen(*find_classical_planner("heft")), mine,
                                            chosen(*find_classical_planner("auto"))};
  const std::unique_ptr<Judge> judge = simulated_judge(problem);
  Caller nobody;  // a class derived from it is told of progress, and may stop the search
  const Comparison comparison = compare(problem, planners, Budget{.evaluations = 3000}, {}, *judge, nobody);
  fmt::print("{:13} {:>9} {:>12}\n", "planner", "step", "evaluations");
  for (const Outcome& row : comparison.rows) {
    fmt::print("{:13} {:>9} {:>12}\n", row.planner, format_seconds(row.value_s().value_or(0.0)), row.evaluations);
  }
  fmt::print("{:13} {:>9}\n", "one device", format_seconds(comparison.single->value_s().value_or(0.0)));
  fmt::print("{:13} {:>9}\n", "lower bound", format_time(comparison.rows.front().lower_bound));
  return {};
}

// The same planner on three problems whose optima are known, a hundred plans and two seeds for each.
Status on_the_leaderboard() {
  const std::vector<std::string> names{"rnnlm"};
  BERTH_TRY(Suite suite, find_suite("exact"));
  BERTH_TRY(suite, with_rows(std::move(suite), names));
  BenchRequest request{.suite = std::move(suite), .budget = {.evaluations = 100}, .seeds = 2};
  request.contestants.push_back({.name = "mine", .planner = ChosenPlanner{"mine", std::make_unique<HillClimber>}});
  request.contestants.push_back({.name = "heft", .planner = chosen(*find_classical_planner("heft"))});
  Caller nobody;
  BERTH_TRY(const BenchAnswer answer, bench(request, nobody));
  fmt::print("\n{}\n", headline(answer));
  for (const Standing& standing : standings(answer)) {
    fmt::print("{:13} has {} of {}, takes {} of what is known\n", answer.contestants[standing.contestant], standing.has,
               answer.rows.size(), ratio_words(standing.to_known));
  }
  return {};
}

int main() {
  Status status = compare_with_ours();
  if (status.ok()) status = on_the_leaderboard();
  if (!status.ok()) fmt::print(stderr, "{}\n", status.error().message);
  return status.ok() ? 0 : 1;
}

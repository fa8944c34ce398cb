// SPDX-License-Identifier: Apache-2.0
// Scores many plans at once, on all cores, or on an NVIDIA GPU where Berth was built for one.
#include <berth/base/rng.h>
#include <berth/base/units.h>
#include <berth/machine/library.h>
#include <berth/plan/search/placement.h>
#include <berth/problem/plan.h>
#include <berth/sim/batch/plan_batch.h>
#include <berth/sim/evaluator.h>
#include <berth/zoo/zoo.h>
#include <fmt/core.h>

#include <chrono>
#include <thread>

using namespace berth;

constexpr std::size_t kPlans = 1000;

// Layers in a row on devices drawn by chance: the graph in topological order is cut at a few random places.
std::vector<Plan> random_plans(const Problem& problem) {
  const std::vector<DeviceId> devices = worker_devices(problem);
  Rng rng(7);
  std::vector<Plan> plans;
  while (plans.size() < kPlans) {
    std::vector<DeviceId> wanted(problem.num_units());
    DeviceId device = devices.front();
    for (const OpId op : problem.graph().topological_order()) {
      if (rng.chance(0.01)) device = devices[rng.below(devices.size())];
      wanted[problem.unit(op)] = device;
    }
    plans.push_back(plan_from_units(problem, wanted));
  }
  return plans;
}

std::size_t best_of(const BatchScores& scores) {
  std::size_t best = 0;
  for (std::size_t plan = 1; plan < scores.size(); ++plan) best = scores.better(plan, best) ? plan : best;
  return best;
}

Status score_and_print() {
  BERTH_TRY(auto graph, build_zoo_model("nmt-2,batch=64,unroll=10"));
  BERTH_TRY(auto machine, builtin_machine("k40x4"));
  BERTH_TRY(const Problem problem, make_problem(std::make_shared<const Graph>(std::move(graph)),
                                                std::make_shared<const Machine>(std::move(machine))));
  const std::vector<Plan> plans = random_plans(problem);
  for (const Plan& plan : plans) {
    if (const auto broken = verify(problem, plan)) return *broken;  // the simulator takes legal plans for granted
  }
  const GatheredPlans gathered(plans);
  const int threads = static_cast<int>(std::thread::hardware_concurrency());
  const auto evaluator = make_simulated_evaluator(problem, threads, SimulateOn::kAuto);
  const auto start = std::chrono::steady_clock::now();
  const BatchScores& scores = evaluator->evaluate(gathered.batch());
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const std::size_t best = best_of(scores);
  fmt::print("{} plans of {} ops on {} threads: {:.0f} plans per second\n", plans.size(), problem.graph().num_ops(),
             threads, static_cast<double>(plans.size()) / seconds.count());
  fmt::print("the best is plan {}: {}\n", best, format_time(scores.step_time[best]));
  return {};
}

int main() {
  const Status status = score_and_print();
  if (!status.ok()) fmt::print(stderr, "{}\n", status.error().message);
  return status.ok() ? 0 : 1;
}

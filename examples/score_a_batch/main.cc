// SPDX-License-Identifier: Apache-2.0
// Scores many plans on all cores: a Problem never changes, so that all threads read it; each has a Simulator of its
// own.
#include <berth/base/rng.h>
#include <berth/base/thread_pool.h>
#include <berth/base/units.h>
#include <berth/machine/library.h>
#include <berth/plan/search/placement.h>
#include <berth/problem/plan.h>
#include <berth/sim/simulator.h>
#include <berth/sim/timeline.h>
#include <berth/zoo/zoo.h>
#include <fmt/core.h>

#include <algorithm>
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

std::vector<Score> score_all(const Problem& problem, const std::vector<Plan>& plans, ThreadPool& pool) {
  std::vector<Simulator> simulators;
  for (int worker = 0; worker < pool.size(); ++worker) simulators.emplace_back(problem);
  std::vector<Score> scores(plans.size());
  pool.for_each(plans.size(), [&](std::size_t i, int worker) {
    scores[i] = simulators[static_cast<std::size_t>(worker)].run(plans[i]);
  });
  return scores;
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
  ThreadPool pool(static_cast<int>(std::thread::hardware_concurrency()));
  const auto start = std::chrono::steady_clock::now();
  const std::vector<Score> scores = score_all(problem, plans, pool);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const auto best = std::ranges::min_element(scores, better);
  fmt::print("{} plans of {} ops on {} threads: {:.0f} plans per second\n", plans.size(), problem.graph().num_ops(),
             pool.size(), static_cast<double>(plans.size()) / seconds.count());
  fmt::print("the best is plan {}: {}\n", best - scores.begin(), format_time(best->step_time));
  return {};
}

int main() {
  const Status status = score_and_print();
  if (!status.ok()) fmt::print(stderr, "{}\n", status.error().message);
  return status.ok() ? 0 : 1;
}

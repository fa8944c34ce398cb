// SPDX-License-Identifier: Apache-2.0
// A planner evaluates millions of plans, so an evaluation must not allocate. Counts every call of operator new in this
// program; left out under AddressSanitizer, which has an operator new of its own.
#ifndef __SANITIZE_ADDRESS__
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

#include "sim/evaluator.h"
#include "sim/simulator.h"
#include "support/random_problem.h"

namespace {
std::atomic<std::size_t> allocations = 0;
}  // namespace

// Not inlined, or gcc 12 takes malloc and delete for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace berth {
namespace {

std::vector<Plan> unfused_plans(const Problem& problem, Rng& rng) {
  std::vector<Plan> plans;
  for (int i = 0; i < 8; ++i) {
    plans.push_back(random_plan(problem, rng));
    plans.back().fusions.clear();  // a fused plan rebuilds the graph and may allocate
  }
  return plans;
}

TEST(Allocation, ASimulationAllocatesNothingOnceItHasRun) {
  Rng rng(5);
  const Problem problem = random_problem(rng, 300);
  const std::vector<Plan> plans = unfused_plans(problem, rng);
  Simulator simulator(problem);
  for (const Plan& plan : plans) simulator.run(plan);
  const std::size_t before = allocations;
  for (const Plan& plan : plans) simulator.run(plan);
  EXPECT_EQ(allocations - before, 0U);
}

TEST(Allocation, ARunNearABaseAllocatesNothingOnceItHasRun) {
  Rng rng(7);
  const Problem problem = random_problem(rng, 300);
  const Plan base = unfused_plans(problem, rng).front();
  std::vector<Plan> plans;
  for (std::uint32_t unit = 0; unit < problem.num_units(); unit += 7) {
    plans.push_back(base);
    for (const OpId op : problem.unit_ops(unit)) plans.back().device_of[index(op)] = problem.machine().device_ids()[0];
    if (verify(problem, plans.back())) plans.pop_back();
  }
  ASSERT_GT(plans.size(), 5U);
  Simulator simulator(problem);
  const auto run_all = [&] {
    simulator.rebase(base);
    for (const Plan& plan : plans) simulator.run_bounded(plan, std::numeric_limits<Picoseconds>::max());
  };
  run_all();
  const std::size_t before = allocations;
  run_all();
  EXPECT_EQ(allocations - before, 0U);
}

TEST(Allocation, ABatchAllocatesNothingPerPlan) {
  Rng rng(6);
  const Problem problem = random_problem(rng, 300);
  const std::vector<Plan> plans = unfused_plans(problem, rng);
  GatheredPlans gathered;
  for (Plan plan : plans) {
    plan.priority.resize(problem.graph().num_ops());
    gathered.add(plan);
  }
  const auto evaluator = make_simulated_evaluator(problem, 1);
  evaluator->evaluate(gathered.batch());
  const std::size_t before = allocations;
  evaluator->evaluate(gathered.batch());
  EXPECT_LE(allocations - before, 1U);  // the loop's body, once per batch
}

}  // namespace
}  // namespace berth

#endif  // __SANITIZE_ADDRESS__

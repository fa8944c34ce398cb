// SPDX-License-Identifier: Apache-2.0
// Bounded runs near a base give the scores of full runs to the last bit, whatever differs from the base, and handle
// fewer events.
#include <gtest/gtest.h>

#include <bit>

#include "sim/simulator.h"
#include "support/random_problem.h"
#include "support/toy.h"
#include "support/view_chain.h"

namespace berth {
namespace {

Plan unfused_plan(const Problem& problem, Rng& rng) {
  Plan plan = random_plan(problem, rng);
  plan.fusions.clear();
  return plan;
}

// Moves a few units, or gives a few ops another priority.
Plan nearby(const Problem& problem, const Plan& base, Rng& rng) {
  Plan plan = base;
  const std::size_t devices = problem.machine().num_devices();
  const auto first = static_cast<std::uint32_t>(rng.below(problem.num_units()));
  for (std::int64_t left = rng.between(1, 4); left > 0; --left) {
    const auto unit = rng.chance(0.7) ? static_cast<std::uint32_t>((first + rng.below(5)) % problem.num_units())
                                      : static_cast<std::uint32_t>(rng.below(problem.num_units()));
    const DeviceId device{static_cast<std::uint16_t>(rng.below(devices))};
    if ((problem.unit_allowed(unit) & device_bit(device)) == 0) continue;
    for (const OpId op : problem.unit_ops(unit)) plan.device_of[index(op)] = device;
  }
  if (!plan.priority.empty() && rng.chance(0.3)) {
    plan.priority[rng.below(plan.priority.size())] = static_cast<double>(rng.between(-1, 1));
  }
  return plan;
}

struct Effort {
  std::uint64_t near = 0, full = 0;  // events
};

void expect_same(const Problem& problem, Simulator& near, Simulator& full, const Plan& plan, Rng& rng, Effort& effort,
                 const std::string& where) {
  const Score expected = full.run(plan);
  effort.full += full.last_events();
  const Picoseconds step = expected.step_time;
  const Score* found = near.run_bounded(plan, 2 * step);
  effort.near += near.last_events();
  ASSERT_NE(found, nullptr) << where;
  ASSERT_EQ(*found, expected) << where << "\n" << describe(problem, plan);
  for (const Picoseconds cutoff : {step - 1, step, static_cast<Picoseconds>(rng.below(2 * step + 1))}) {
    found = near.run_bounded(plan, cutoff);
    ASSERT_EQ(found != nullptr, step <= cutoff) << where << ", cutoff " << cutoff;
    if (found != nullptr) {
      ASSERT_EQ(*found, expected) << where << ", cutoff " << cutoff;
    }
  }
}

Effort expect_exact(std::uint64_t first_seed, std::uint64_t last_seed, std::size_t most_ops) {
  Effort effort;
  for (std::uint64_t seed = first_seed; seed <= last_seed; ++seed) {
    Rng rng(seed);
    const Problem problem = random_problem(rng, 1 + rng.below(most_ops));
    Simulator near(problem), full(problem);
    for (int base = 0; base < 2; ++base) {
      const Plan start = unfused_plan(problem, rng);
      near.rebase(start);
      for (int i = 0; i < 16; ++i) {  // a base is recorded once a few have been run
        const std::string where =
            "seed " + std::to_string(seed) + ", base " + std::to_string(base) + ", move " + std::to_string(i);
        expect_same(problem, near, full, i == 0 ? start : nearby(problem, start, rng), rng, effort, where);
        if (testing::Test::HasFatalFailure()) return effort;
        if (i == 3) near.run(unfused_plan(problem, rng));  // in between, anything may be run
      }
    }
  }
  return effort;
}

TEST(Rebase, IsExactOnTinyProblems) { expect_exact(1, 1500, 12); }
TEST(Rebase, IsExactOnSmallProblems) { expect_exact(10'001, 10'800, 60); }

TEST(Rebase, IsExactAndSavesEventsOnLargerProblems) {
  const Effort effort = expect_exact(20'001, 20'040, 500);
  EXPECT_LT(effort.near, effort.full * 9 / 10);
}

TEST(Rebase, AFarOrFusedPlanIsRunInFull) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Rng rng(seed);
    const Problem problem = random_problem(rng, 40);
    Simulator simulator(problem);
    simulator.rebase(random_plan(problem, rng));  // fused or not
    for (int i = 0; i < 4; ++i) {
      const Plan plan = random_plan(problem, rng);
      const Score full = simulate(problem, plan);
      const Score* found = simulator.run_bounded(plan, full.step_time);
      ASSERT_NE(found, nullptr) << "seed " << seed;
      ASSERT_EQ(*found, full) << "seed " << seed;
    }
  }
}

// What a tensor's storage holds is known when its last view has been read: there may be any number of them.
TEST(Rebase, FollowsAnyNumberOfViews) {
  const TensorSpec matrix{DType::kF32, {8}};
  GraphBuilder builder("views");
  const OpId a = builder.add({.name = "a", .type = "relu", .outputs = {matrix}, .flops = 1e9});
  const OpId b = builder.add({.name = "b", .type = "relu", .inputs = {{a, 0}}, .outputs = {matrix}, .flops = 1e9});
  const OpId last = add_views(builder, a, kManyViews, matrix);
  OpId end =
      builder.add({.name = "c", .type = "add", .inputs = {{last, 0}, {b, 0}}, .outputs = {matrix}, .flops = 1e9});
  for (int i = 0; i < 100; ++i) {
    const std::string name = fmt::format("tail{}", i);
    end = builder.add({.name = name, .type = "relu", .inputs = {{end, 0}}, .outputs = {matrix}, .flops = 1e9});
  }
  const Problem problem =
      make_problem(std::make_shared<const Graph>(std::move(builder).build().value()), toy_machine("2 devices")).value();
  Plan base, other;
  base.device_of.assign(problem.graph().num_ops(), DeviceId{0});
  other = base;
  other.device_of[index(b)] = DeviceId{1};
  Simulator near(problem), full(problem);
  near.rebase(base);
  const Score expected = full.run(other);
  const Score* found = near.run_bounded(other, 2 * expected.step_time);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(*found, expected);
}

}  // namespace
}  // namespace berth

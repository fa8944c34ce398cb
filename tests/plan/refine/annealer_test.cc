// SPDX-License-Identifier: Apache-2.0
#include "plan/refine/annealer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>

#include "plan/order/ranks.h"
#include "plan/search/placement.h"
#include "plan/toys.h"
#include "sim/simulator.h"
#include "support/as_pipeline.h"
#include "support/explicit_costs.h"

namespace berth {
namespace {

constexpr Annealer::Heat kFrozen{0.0, 0.0};

Level unit_level(const Problem& problem) { return Level(problem, one_group_per_unit(problem)); }

// A plan without fusions, which the annealer does not know.
Plan random_start(const Problem& problem, Rng& rng) {
  Plan plan = random_plan(problem, rng);
  plan.fusions.clear();
  return plan;
}

struct Case {
  Problem problem;
  Plan start;
};

int devices_with_work(const Graph& graph, const Plan& plan) {
  std::set<DeviceId> devices;
  for (const OpId op : graph.ops()) {
    if (graph.role(op) == Role::kCompute) devices.insert(plan.device(op));
  }
  return static_cast<int>(devices.size());
}

// A random problem with every kind of constraint, all of which the start just meets. Memory is random: tight for some.
Case constrained_case(std::uint64_t seed) {
  Rng rng(seed);
  const Problem free = random_problem(rng, 10 + seed % 60);
  const Graph& graph = free.graph();
  Plan start = random_start(free, rng);
  Constraints constraints = free.constraints();
  for (const OpId op : graph.ops()) {
    if (rng.chance(0.05)) constraints.pins.push_back({op, start.device(op)});
    const auto other = DeviceId(rng.below(free.machine().num_devices()));
    if (rng.chance(0.1) && other != start.device(op)) constraints.forbids.push_back({op, other});
  }
  if (rng.chance(0.5)) constraints.max_devices = std::max(devices_with_work(graph, start), 1);
  if (rng.chance(0.5)) constraints.max_crossings = count_crossings(graph, start) + rng.between(0, 2);
  return {make_problem(std::make_shared<const Graph>(graph), std::make_shared<const Machine>(free.machine()),
                       explicit_costs(free), constraints)
              .value(),
          start};
}

void expect_uniform(const Level& level, const Plan& plan) {
  for (std::uint32_t group = 0; group < level.size(); ++group) {
    for (const OpId op : level.ops(group)) EXPECT_EQ(plan.device(op), plan.device(level.ops(group).front()));
  }
}

void expect_legal_and_as_simulated(const Problem& problem, const Annealer& annealer) {
  ASSERT_EQ(verify(problem, annealer.plan()), std::nullopt);
  const Score score = simulate(problem, annealer.plan());
  EXPECT_EQ(annealer.score(), score);
}

TEST(Annealer, StaysLegalAndKnowsItsScoreUnderConstraints) {
  int limited = 0, improved = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE(seed);
    const auto [problem, start] = constrained_case(seed);
    ASSERT_EQ(verify(problem, start), std::nullopt);
    Search search(problem, {.evaluations = 200});
    Annealer annealer(search, Rng(seed), start);
    annealer.run(unit_level(problem), {}, 0.5);
    expect_legal_and_as_simulated(problem, annealer);
    annealer.retune_priorities();
    expect_legal_and_as_simulated(problem, annealer);
    annealer.run(unit_level(problem), {}, 1.0);
    expect_legal_and_as_simulated(problem, annealer);
    EXPECT_EQ(verify(problem, search.best_plan()), std::nullopt);
    EXPECT_EQ(search.best_score(), simulate(problem, search.best_plan()));
    limited += problem.constraints().max_devices || problem.constraints().max_crossings ? 1 : 0;
    improved += better(search.best_score(), simulate(problem, start)) ? 1 : 0;
  }
  EXPECT_GT(limited, 50);
  EXPECT_GT(improved, 75);
}

TEST(Annealer, KnowsItsScoreInPipelines) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Problem problem = as_pipeline(random_problem(rng, 40));
    Search search(problem, {.evaluations = 200});
    Annealer annealer(search, Rng(seed), random_start(problem, rng));
    annealer.run(unit_level(problem), {}, 1.0);
    expect_legal_and_as_simulated(problem, annealer);
  }
}

TEST(Annealer, DependsOnTheSeedAlone) {
  int differ = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto [problem, start] = constrained_case(seed);
    const auto plan = [&](std::uint64_t walk, double time_s) {
      Search search(problem, {.time_s = time_s, .evaluations = 150}, Picoseconds{0});
      Annealer annealer(search, Rng(walk), start);
      annealer.run(unit_level(problem), {}, 1.0);
      return annealer.plan();
    };
    EXPECT_EQ(plan(1, 1e-9), plan(1, 100.0)) << seed;
    differ += plan(1, 1.0) == plan(2, 1.0) ? 0 : 1;
  }
  EXPECT_GT(differ, 5);
}

TEST(Annealer, WithoutSlackNeverBecomesSlower) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const auto [problem, start] = constrained_case(seed);
    const Score before = simulate(problem, start);
    Search search(problem, {.evaluations = 100}, Picoseconds{0});
    Annealer annealer(search, Rng(seed), start);
    annealer.run(unit_level(problem), kFrozen, 1.0);
    const Score after = simulate(problem, annealer.plan());
    if (!before.feasible) continue;
    EXPECT_TRUE(after.feasible);
    EXPECT_LE(after.step_time, before.step_time);
  }
}

TEST(Annealer, TakesNothingBackFromABestPlan) {
  // gpu1 is slower and the way there takes time: any move loses, and every one must be undone.
  const Problem problem = toy_problem("a:9/2/3 -> b:9/2/3 -> c:9/2/3 -> d:9/2/3; a -> d", kTwoGpus);
  Plan start = plan_on_one_device(problem, DeviceId{1});
  start.priority = upward_ranks(problem, start);
  Search search(problem, {.evaluations = 500}, Picoseconds{0});
  Annealer annealer(search, Rng(1), start);
  annealer.run(unit_level(problem), {}, 1.0);
  EXPECT_EQ(annealer.plan(), start);
  EXPECT_EQ(annealer.score().step_time, to_picoseconds(8));
  EXPECT_EQ(search.evaluations(), 500U);
}

TEST(Annealer, StopsAtTheLowerBound) {
  const Problem problem = toy_problem("a:9/2/2; b:9/2/2", kTwoGpus);  // one on each
  Search search(problem, {.evaluations = 10'000}, to_picoseconds(2));
  Annealer annealer(search, Rng(1), plan_on_one_device(problem, DeviceId{1}));
  annealer.run(unit_level(problem), {}, 1.0);
  EXPECT_EQ(annealer.score().step_time, to_picoseconds(2));
  EXPECT_LT(search.evaluations(), 1000U);
}

TEST(Annealer, EndsWhereNoMoveIsLegal) {
  std::string text = "op0:9/1/1";
  for (int i = 1; i < 300; ++i) text += fmt::format(" -> op{}:9/1/1", i);
  Constraints constraints;
  constraints.max_devices = 1;
  const Problem problem = constrained_toy(text, kTwoGpus, constraints);
  Search search(problem, {.evaluations = 200}, Picoseconds{0});
  const Plan start = plan_on_one_device(problem, DeviceId{1});
  Annealer annealer(search, Rng(1), start);
  annealer.run(unit_level(problem), {}, 1.0);
  EXPECT_EQ(annealer.plan(), start);
  EXPECT_EQ(search.evaluations(), 200U);
}

TEST(Annealer, MovesGroupsAsOne) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Problem problem = random_problem(rng, 80);
    const Plan start = random_start(problem, rng);
    const Level level(problem,
                      join_heavy_tensors(problem, one_group_per_unit(problem), {.work = 10, .within = &start}));
    Search search(problem, {.evaluations = 150});
    Annealer annealer(search, Rng(seed), start);
    annealer.run(level, {}, 1.0);
    expect_legal_and_as_simulated(problem, annealer);
    expect_uniform(level, annealer.plan());
    expect_uniform(level, search.best_plan());
  }
}

TEST(Annealer, StaysWhereNothingHasAChoice) {
  const Problem problem = toy_problem("a:1/-/- -> b:-/1/-", kTwoGpus);
  const Plan start = toy_plan(problem, "a@cpu b@gpu0");
  Search search(problem, {.evaluations = 100}, Picoseconds{0});
  Annealer annealer(search, Rng(1), start);
  annealer.run(unit_level(problem), {}, 1.0);
  EXPECT_EQ(annealer.plan(), start);
  EXPECT_EQ(search.evaluations(), 1U);
}

TEST(Annealer, RetunesPrioritiesOnlyIfThatHelps) {
  // gpu0 takes s first, by its number, and keeps gpu1 waiting: 1 + 1 + 1 + 5 s. By rank l goes first.
  const Problem problem = toy_problem("s:1/1/-; l:1/1/- -> t:-/-/5", kTwoGpus);
  Search search(problem, {.evaluations = 100}, Picoseconds{0});
  Annealer annealer(search, Rng(1), toy_plan(problem, "s@gpu0 l@gpu0 t@gpu1"));
  EXPECT_EQ(annealer.score().step_time, to_picoseconds(8));
  annealer.retune_priorities();
  EXPECT_EQ(annealer.score().step_time, to_picoseconds(7));
  const Plan tuned = annealer.plan();
  EXPECT_GT(tuned.priority_of(OpId{1}), tuned.priority_of(OpId{0}));
  annealer.retune_priorities();
  EXPECT_EQ(annealer.plan(), tuned);
}

Score repair(const Problem& problem, const Plan& start, std::uint64_t evaluations = 1000) {
  EXPECT_FALSE(simulate(problem, start).feasible);
  Search search(problem, {.evaluations = evaluations});
  Annealer annealer(search, Rng(1), start);
  annealer.run(unit_level(problem), {}, 1.0);
  const Score score = simulate(problem, annealer.plan());
  EXPECT_EQ(score.feasible, search.best_score().feasible);
  return score;
}

TEST(Annealer, RepairsAPlanThatDoesNotFit) {
  // Two weights of 60 B do not fit on a GPU of 100 B: one GPU each, and 1 s between them.
  const Problem problem = toy_problem("w:param:60B -> a:9/1/1 -> b:9/1/1; v:param:60B -> b", kTwoGpus);
  const Score score = repair(problem, plan_on_one_device(problem, DeviceId{1}));
  EXPECT_TRUE(score.feasible);
  EXPECT_EQ(to_seconds(score.step_time), 3);
}

TEST(Annealer, RepairsEvenIfWhatFitsIsFarSlower) {
  // Of three weights of 90 B the third must be on the CPU, and its op with it: a copy would not fit either.
  const Problem problem =
      toy_problem("w:param:90B -> a:1000/1/1; v:param:90B -> b:1000/1/1; u:param:90B -> c:1000/1/1", kTwoGpus);
  const Score score = repair(problem, plan_on_one_device(problem, DeviceId{1}));
  EXPECT_TRUE(score.feasible);
  EXPECT_EQ(to_seconds(score.step_time), 1000);
}

TEST(Annealer, RepairsAPool) {
  const Problem problem = toy_problem(
      "w:param:60B -> a:1/1/9; v:param:60B -> b:1/1/9",
      "device g0 pool=p; device g1 pool=p; device far; pool p 100B; link g0 g1 latency=1; link g0 far latency=1; "
      "link g1 far latency=1");
  const Score score = repair(problem, plan_on_one_device(problem, DeviceId{0}));
  EXPECT_TRUE(score.feasible);
  EXPECT_EQ(to_seconds(score.step_time), 9);
}

// Evaluations until a plan fits.
std::uint64_t evaluations_to_repair(const Problem& problem, std::uint64_t seed, const DirectedMoves& moves) {
  Search search(problem, {.evaluations = 1000});
  Annealer annealer(search, Rng(seed), plan_on_one_device(problem, DeviceId{1}), moves);
  const Level level = unit_level(problem);
  double end = 0.0;
  while (!search.best_score().feasible && end < 1.0) annealer.run(level, {}, end += 0.001);
  return search.evaluations();
}

TEST(Annealer, RelievesFullMemoryByWhatIsCheapestToSend) {
  // 140 B on a GPU of 100 B. v is read on the CPU, so that it can leave at no cost; every other weight would be copied
  // back for its op.
  std::string text = "v:param:50B -> s:1/-";
  for (int i = 0; i < 30; ++i) text += fmt::format("; w{}:param:3B -> op{}:-/1", i, i);
  const Problem problem = toy_problem(text, "device cpu; device gpu memory=100B; link cpu gpu latency=1");
  std::uint64_t with = 0, without = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    with += evaluations_to_repair(problem, seed, {});
    without += evaluations_to_repair(problem, seed, {.relief = false});
  }
  EXPECT_LT(3 * with, 2 * without);
}

// How many of 20 walks end with every chain on one device. Both devices work all the time, so no single move pays.
int walks_that_untangle(bool balance) {
  const Problem problem = toy_problem(
      "a0:-/9/9:9B -> a1:-/9/9:9B -> a2:-/9/9:9B -> a3:-/9/9; b0:-/9/9:9B -> b1:-/9/9:9B -> b2:-/9/9:9B -> b3:-/9/9",
      kTwoGpus);
  Plan tangled = plan_on_one_device(problem, DeviceId{1});
  for (const std::size_t op : {1, 3, 4, 6}) tangled.device_of[op] = DeviceId{2};
  int untangled = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Search search(problem, {.evaluations = 30, .seed = seed});
    Annealer annealer(search, Rng(seed), tangled, {.balance = balance});
    annealer.run(unit_level(problem), kFrozen, 1.0);
    untangled += annealer.score().step_time == to_picoseconds(36) ? 1 : 0;
  }
  return untangled;
}

TEST(Annealer, GivesOtherGroupsAwayWhereADeviceHasTooMuch) {
  const int with = walks_that_untangle(true), without = walks_that_untangle(false);
  EXPECT_GT(with, without + 4) << with << " against " << without;
}

TEST(Annealer, ComesNearWhereNothingFits) {
  // 200 B and 300 B on GPUs of 100 B: apart, they are 200 B over.
  const Problem problem = toy_problem("w:param:200B -> a:-/1/1; v:param:300B -> b:-/1/1",
                                      "device cpu memory=1B; device gpu0 memory=100B; device gpu1 memory=100B; "
                                      "link cpu gpu0; link cpu gpu1; link gpu0 gpu1");
  const Score score = repair(problem, plan_on_one_device(problem, DeviceId{1}), 20'000);
  EXPECT_FALSE(score.feasible);
  EXPECT_EQ(score.overflow->over, 201);  // with the byte that b makes
}

// The best of all placements without priorities.
class EveryPlacement {
 public:
  explicit EveryPlacement(const Problem& problem) : problem_(problem), simulator_(problem) {
    plan_.device_of.resize(problem.graph().num_ops());
  }

  [[nodiscard]] double count() const {
    double plans = 1.0;
    for (std::uint32_t unit = 0; unit < problem_.num_units(); ++unit)
      plans *= std::popcount(problem_.unit_allowed(unit));
    return plans;
  }

  Score best() {
    place(0);
    return *best_;
  }

 private:
  void place(std::uint32_t unit) {
    if (unit == problem_.num_units()) {
      const Score& score = simulator_.run(plan_);
      if (!best_ || better(score, *best_)) best_ = score;
      return;
    }
    for (DeviceSet left = problem_.unit_allowed(unit); left != 0; left &= left - 1) {
      for (const OpId op : problem_.unit_ops(unit)) plan_.device_of[index(op)] = DeviceId(std::countr_zero(left));
      place(unit + 1);
    }
  }

  const Problem& problem_;
  Simulator simulator_;
  Plan plan_;
  std::optional<Score> best_;
};

TEST(Annealer, FindsTheBestPlacementsOfSmallProblems) {
  int solved = 0, repaired = 0, optimal = 0;
  for (std::uint64_t seed = 1; solved < 200; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Problem problem = random_problem(rng, 4 + seed % 8);
    EveryPlacement every(problem);
    if (every.count() > 3000) continue;
    ++solved;
    const Score best = every.best();
    Plan start = random_start(problem, rng);
    start.priority.clear();
    Search search(problem, {.evaluations = 2000});
    Annealer annealer(search, Rng(seed), start);
    annealer.run(unit_level(problem), {}, 1.0);
    const Score found = simulate(problem, annealer.plan());
    EXPECT_EQ(found.feasible, best.feasible);
    repaired += found.feasible && !simulate(problem, start).feasible ? 1 : 0;
    optimal += better(best, found) ? 0 : 1;
  }
  EXPECT_GT(repaired, 20);
  EXPECT_GE(optimal, 180) << "of " << solved;
}

}  // namespace
}  // namespace berth

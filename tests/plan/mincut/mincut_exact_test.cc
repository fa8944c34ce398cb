// SPDX-License-Identifier: Apache-2.0
#include "plan/mincut/mincut_exact.h"

#include <gtest/gtest.h>

#include "base/disjoint_sets.h"
#include "machine/device_set.h"
#include "plan/mincut/bridges.h"
#include "plan/mincut/max_flow.h"
#include "plan/mincut/two_way_cut.h"
#include "plan/planners.h"
#include "plan/search/placement.h"
#include "sim/bounds/bounds.h"
#include "sim/simulator.h"
#include "support/random_problem.h"
#include "support/toy.h"

namespace berth {
namespace {

bool never() { return false; }

struct Network {
  std::size_t nodes;
  std::vector<std::vector<std::int64_t>> capacity;
};

std::int64_t least_cut(const Network& network) {  // node 0 is the source, the last the sink
  std::int64_t least = MaxFlow::kEndless;
  for (std::uint32_t set = 0; set < (1U << network.nodes); ++set) {
    const auto in = [&](std::size_t node) { return (set >> node & 1) != 0; };
    if (!in(0) || in(network.nodes - 1)) continue;
    std::int64_t cut = 0;
    for (std::size_t a = 0; a < network.nodes; ++a) {
      for (std::size_t b = 0; b < network.nodes; ++b) cut += in(a) && !in(b) ? network.capacity[a][b] : 0;
    }
    least = std::min(least, cut);
  }
  return least;
}

TEST(MaxFlow, FindsTheLeastCutOfRandomNetworks) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    Rng rng(seed);
    Network network{2 + rng.below(7), {}};
    MaxFlow flow(network.nodes);
    for (std::uint32_t a = 0; a < network.nodes; ++a) {
      network.capacity.emplace_back(network.nodes, 0);
      for (std::uint32_t b = 0; b < network.nodes; ++b) {
        if (a == b || rng.chance(0.4)) continue;
        network.capacity[a][b] = rng.between(0, 9);
        flow.connect(a, b, network.capacity[a][b]);
      }
    }
    const auto sink = static_cast<std::uint32_t>(network.nodes - 1);
    ASSERT_EQ(flow.run(0, sink, never), least_cut(network)) << "seed " << seed;
    EXPECT_TRUE(flow.is_near_source(0));
    EXPECT_FALSE(flow.is_near_source(sink));
  }
}

std::size_t count_parts(std::size_t nodes, const std::vector<UndirectedEdge>& edges) {
  DisjointSets sets(nodes);
  for (const auto& [a, b] : edges) sets.unite(a, b);
  std::size_t parts = 0;
  for (std::uint32_t node = 0; node < nodes; ++node) parts += sets.root(node) == node ? 1 : 0;
  return parts;
}

TEST(Bridges, AreTheEdgesWhoseRemovalDisconnects) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Rng rng(seed);
    const std::size_t nodes = 1 + rng.below(9);
    std::vector<UndirectedEdge> edges;
    for (std::uint32_t a = 0; a < nodes; ++a) {
      for (std::uint32_t b = a + 1; b < nodes; ++b) {
        if (rng.chance(0.25)) edges.emplace_back(a, b);
      }
    }
    const BridgeTree tree = find_bridges(nodes, edges);
    EXPECT_EQ(tree.parts, count_parts(nodes, edges)) << "seed " << seed;
    std::vector<UndirectedEdge> expected, inside;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      std::vector<UndirectedEdge> others = edges;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      (count_parts(nodes, others) > tree.parts ? expected : inside).push_back(edges[i]);
    }
    std::vector<UndirectedEdge> found = tree.bridges;
    std::ranges::sort(found);
    EXPECT_EQ(found, expected) << "seed " << seed;
    EXPECT_EQ(tree.blocks, count_parts(nodes, inside)) << "seed " << seed;
    for (const auto& [a, b] : inside) EXPECT_EQ(tree.block[a], tree.block[b]);
    for (const auto& [a, b] : expected) EXPECT_NE(tree.block[a], tree.block[b]);
  }
}

// Every plan there is, one unit after the other.
Score best_of_all(const Problem& problem) {
  std::optional<Score> best;
  std::vector<DeviceId> device(problem.num_units(), DeviceId{0});
  for (std::uint64_t choice = 0; choice < (std::uint64_t{1} << problem.num_units()); ++choice) {
    bool allowed = true;
    for (std::uint32_t unit = 0; unit < problem.num_units(); ++unit) {
      device[unit] = DeviceId(choice >> unit & 1);
      allowed = allowed && (problem.unit_allowed(unit) & device_bit(device[unit])) != 0;
    }
    if (!allowed) continue;
    const Plan plan = plan_from_units(problem, device);
    if (verify(problem, plan)) continue;
    const Score score = simulate(problem, plan);
    if (!best || better(score, *best)) best = score;
  }
  return *best;
}

TEST(MincutExact, FindsAndProvesTheOptimumOfEveryPlan) {
  int tried = 0, costly_regions = 0;
  for (std::uint64_t seed = 1; tried < 250; ++seed) {
    Rng rng(seed);
    const Execution execution{.overlap = false, .region_cost_s = static_cast<double>(seed % 4) * 2e-12};
    const Problem problem = random_problem(rng, 2 + rng.below(9), execution);
    if (!is_two_way(problem) || problem.num_units() > 12) continue;
    Search search(problem, {.evaluations = 100'000});
    const Result<Plan> plan = MincutExactPlanner().plan(search);
    ASSERT_TRUE(plan) << "seed " << seed;
    const Score expected = best_of_all(problem), found = simulate(problem, *plan);
    ASSERT_EQ(found.feasible, expected.feasible) << "seed " << seed << "\n" << describe(problem, *plan);
    if (!expected.feasible) continue;
    ++tried;
    ASSERT_EQ(found.step_time, expected.step_time) << "seed " << seed << "\n" << describe(problem, *plan);
    EXPECT_EQ(search.note(), "proved optimal") << "seed " << seed;
    EXPECT_EQ(search.lower_bound(), expected.step_time) << "seed " << seed;
    costly_regions += problem.region_cost() > 0 ? 1 : 0;
  }
  EXPECT_GT(costly_regions, 100);  // where the cut alone is no proof
}

TEST(MincutExact, ACutNeverPromisesMoreThanAnyPlanHolds) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Rng rng(seed);
    const Problem problem = random_problem(rng, 2 + rng.below(20), {.overlap = false, .region_cost_s = 2e-12});
    if (!is_two_way(problem)) continue;
    const TwoWayCut cut(problem, DeviceId{0}, DeviceId{1});
    const auto found = cut.find(std::vector<Side>(problem.num_units(), Side::kFree), never);
    ASSERT_TRUE(found);
    for (int i = 0; i < 10; ++i) {
      Plan plan = random_plan(problem, rng);
      plan.fusions.clear();
      EXPECT_LE(found->bound, simulate(problem, plan).step_time) << "seed " << seed;
    }
  }
}

// Four ops, quick on device 1 but for b; a tensor costs 1 s, a region 2 s.
TEST(MincutExact, WeighsRegionsAndTransfersAgainstSlowOps) {
  const std::string_view machine = "2 devices, 1 s per edge; no overlap, 2";
  const auto solve = [&](std::string_view graph) {
    const Problem problem = toy_problem(graph, machine);
    Search search(problem, {.evaluations = 1000});
    const Result<Plan> plan = MincutExactPlanner().plan(search);
    return std::pair(to_seconds(search.best_score().step_time), search.note());
  };
  // All on 1: 2 + 1 + 5 + 1. b alone on 0 would take 3 regions and 2 transfers: 6 + 2 + 1 + 1 + 1.
  EXPECT_EQ(solve("a:9/1 -> b:1/5 -> c:9/1"), std::pair(9.0, std::string("proved optimal")));
  // Now b is worth it: 6 + 2 + 3 against 2 + 22.
  EXPECT_EQ(solve("a:9/1 -> b:1/20 -> c:9/1"), std::pair(11.0, std::string("proved optimal")));
}

TEST(MincutExact, SaysSoWhereItCannotProve) {
  const Problem three = toy_problem("a:3/2/1 -> b:1/2/3", "3 devices, 1 s per edge; no overlap, 1");
  Search search(three, {.evaluations = 100});
  ASSERT_TRUE(MincutExactPlanner().plan(search));
  EXPECT_EQ(search.note(), "the least sum of times and transfers on two devices; no proof on this machine");
}

TEST(MincutExact, IsWhatExactDoesWithoutOverlap) {
  const Problem problem = toy_problem("a:9/1 -> b:1/20 -> c:9/1", "2 devices, 1 s per edge; no overlap, 2");
  Search search(problem, {.evaluations = 100});
  ASSERT_TRUE(find_classical_planner("exact")->make()->plan(search));
  EXPECT_EQ(search.note(), "proved optimal");
  EXPECT_EQ(search.best_score().step_time, to_picoseconds(11.0));
}

TEST(MincutExact, AutoFindsTheOptimumToo) {
  const Problem problem = toy_problem("a:9/1 -> b:1/20 -> c:9/1; a -> c", "2 devices, 1 s per edge; no overlap, 2");
  Search exact(problem, {.evaluations = 1000}), automatic(problem, {.evaluations = 200});
  ASSERT_TRUE(MincutExactPlanner().plan(exact));
  ASSERT_TRUE(find_classical_planner("auto")->make()->plan(automatic));
  EXPECT_EQ(automatic.best_score().step_time, exact.best_score().step_time);
}

}  // namespace
}  // namespace berth

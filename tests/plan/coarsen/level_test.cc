// SPDX-License-Identifier: Apache-2.0
#include "plan/coarsen/level.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>

#include "plan/toys.h"

namespace berth {
namespace {

std::string joined_names(const Problem& problem, std::span<const OpId> ops) {
  std::string text;
  for (const OpId op : ops) text += fmt::format("{}{}", text.empty() ? "" : " ", problem.graph().name(op));
  return text;
}

// "w u: a | a: w": the members of every group and, by their first members, its neighbours.
std::string neighbourhood(const Problem& problem, const Level& level) {
  std::string text;
  for (std::uint32_t group = 0; group < level.size(); ++group) {
    text += fmt::format("{}{}:", text.empty() ? "" : " | ", joined_names(problem, level.ops(group)));
    for (const std::uint32_t near : level.neighbours(group)) {
      text += fmt::format(" {}", problem.graph().name(level.ops(near).front()));
    }
  }
  return text;
}

// First members of the movable groups.
std::string movable(const Problem& problem, const Level& level) {
  std::vector<OpId> firsts;
  for (const std::uint32_t group : level.movable()) firsts.push_back(level.ops(group).front());
  return joined_names(problem, firsts);
}

TEST(Level, KnowsMembersAndNeighbours) {
  const Problem problem =
      toy_problem("w:param; a:1 -> b:2 -> c:3; w -> b; b -> u:1:update=w; w -> u; a => d:1; a -> c", kTwoGpus);
  const Level level(problem, one_group_per_unit(problem));
  // A control edge alone, as from a to d, makes no neighbours; a tensor read twice makes them once.
  EXPECT_EQ(neighbourhood(problem, level), "w u: b | a: b c | b: w a c | c: a b | d:");
  EXPECT_EQ(level.group(OpId{4}), 0U);  // u
  EXPECT_EQ(level.work(0), to_picoseconds(1));
  EXPECT_EQ(level.work(3), to_picoseconds(3));
}

TEST(Level, GroupsAreNeighboursOfGroups) {
  const Problem problem = toy_problem("a:1 -> b:1 -> c:1 -> d:1; a -> d; e:1", kTwoGpus);
  const Level level(problem, {.of_unit = {0, 0, 1, 1, 2}, .allowed = {7, 7, 7}});
  EXPECT_EQ(neighbourhood(problem, level), "a b: c | c d: a | e:");
  EXPECT_EQ(level.work(1), to_picoseconds(2));
  EXPECT_EQ(level.bytes(1), 2 * problem.graph().bytes(problem.graph().outputs(OpId{2})[0]));
}

TEST(Level, MovableGroupsComeInTheOrderOfTheirWork) {
  // Named against the flow; c may be on one device only; the parameter has no compute op and comes first.
  const Problem problem = toy_problem("d:1; c:1/-/-; b:1; a:1 -> b -> c -> d; w:param -> d", kTwoGpus);
  const Level units(problem, one_group_per_unit(problem));
  EXPECT_EQ(movable(problem, units), "w a b d");
  EXPECT_EQ(units.allowed(1), device_bit(DeviceId{0}));
  EXPECT_EQ(units.allowed(0), DeviceSet{7});
  // The first and the last op in one group: its mean is half way, after b.
  const Level joined(problem, {.of_unit = {0, 1, 2, 0, 3}, .allowed = {6, 1, 7, 7}});
  EXPECT_EQ(movable(problem, joined), "w b d");
  EXPECT_EQ(joined.allowed(0), DeviceSet{6});
}

TEST(Level, OfNothingIsEmpty) {
  const Problem problem = constrained_toy("", kTwoGpus, {});
  const Level level(problem, one_group_per_unit(problem));
  EXPECT_EQ(level.size(), 0U);
  EXPECT_TRUE(level.movable().empty());
}

TEST(Level, AgreesWithASlowLookAtRandomGraphs) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Problem problem = random_problem(rng, 60);
    const Graph& graph = problem.graph();
    const Level level(problem, join_heavy_tensors(problem, one_group_per_unit(problem), {.work = 6}));
    std::vector<std::set<std::uint32_t>> near(level.size());
    for (const TensorId tensor : graph.tensors()) {
      for (const OpId consumer : graph.consumers(tensor)) {
        near[level.group(consumer)].insert(level.group(graph.producer(tensor)));
        near[level.group(graph.producer(tensor))].insert(level.group(consumer));
      }
    }
    std::size_t members = 0;
    for (std::uint32_t group = 0; group < level.size(); ++group) {
      near[group].erase(group);
      EXPECT_TRUE(std::ranges::equal(level.neighbours(group), near[group]));
      for (const OpId op : level.ops(group)) EXPECT_EQ(level.group(op), group);
      members += level.ops(group).size();
      const bool is_movable = std::ranges::count(level.movable(), group) == 1;
      EXPECT_EQ(is_movable, std::popcount(level.allowed(group)) > 1);
    }
    EXPECT_EQ(members, graph.num_ops());
  }
}

}  // namespace
}  // namespace berth

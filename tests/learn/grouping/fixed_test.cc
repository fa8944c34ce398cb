// SPDX-License-Identifier: Apache-2.0
#include "learn/grouping/fixed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <set>

#include "base/rng.h"
#include "graph/builder.h"
#include "learn/colocrl/paper_groups.h"
#include "machine/device_set.h"
#include "machine/library.h"
#include "plan/toys.h"
#include "zoo/zoo.h"

namespace berth::learn {
namespace {

constexpr std::string_view kColocRl = "framework+cells+convs+sole";

Problem zoo_problem(std::string_view model, std::string_view machine) {
  return make_problem(std::make_shared<const Graph>(build_zoo_model(model).value()),
                      std::make_shared<const Machine>(builtin_machine(machine).value()))
      .value();
}

Result<Grouping> grouping_by(const Problem& problem, std::string_view how, std::size_t groups, std::uint64_t seed) {
  BERTH_TRY(const GroupingRule rule, grouping_from(how));
  return fixed_grouping(problem, rule, groups, seed);
}

// "a b | c": groups in order, ops by name.
std::string grouped(const Problem& problem, std::string_view how, std::size_t groups = 0) {
  const Grouping grouping = grouping_by(problem, how, groups, 1).value();
  std::string text;
  for (std::uint32_t group = 0; group < grouping.size(); ++group) {
    if (group > 0) text += " |";
    for (const OpId op : problem.graph().ops()) {
      if (grouping.of(problem, op) == group) text += fmt::format(" {}", problem.graph().name(op));
    }
  }
  return text.empty() ? text : text.substr(1);
}

// Every unit is in one group that exists, every group has a unit, and plans made of groups are legal.
void expect_sound(const Problem& problem, const Grouping& grouping) {
  ASSERT_EQ(grouping.of_unit.size(), problem.num_units());
  std::vector<std::size_t> units(grouping.size(), 0);
  for (const std::uint32_t group : grouping.of_unit) {
    ASSERT_LT(group, grouping.size());
    ++units[group];
  }
  EXPECT_TRUE(std::ranges::all_of(units, [](std::size_t number) { return number > 0; }));
  if (problem.constraints().max_devices.has_value()) return;  // no matter of groups
  Rng rng(1);
  for (int i = 0; i < 5; ++i) {
    std::vector<DeviceId> devices;
    for (DeviceSet allowed : grouping.allowed) {
      for (auto skip = rng.below(static_cast<std::uint64_t>(std::popcount(allowed))); skip > 0; --skip) {
        allowed &= allowed - 1;
      }
      devices.push_back(lowest_device(allowed));
    }
    EXPECT_FALSE(verify(problem, plan_from_groups(problem, grouping, devices)));
  }
}

struct PaperRow {
  std::string_view model, machine;
  std::size_t groups;
};
constexpr std::array kRows{PaperRow{"rnnlm", "k80x2", 188}, PaperRow{"nmt-2", "k80x2", 280},
                           PaperRow{"inception-v3", "k80x4", 83}};

TEST(Colocation, TheHeuristicsLeaveThePapersNumberOfGroups) {
  for (const PaperRow& row : kRows) {
    SCOPED_TRACE(row.model);
    const Problem problem = zoo_problem(row.model, row.machine);
    EXPECT_EQ(paper_groups(problem.graph()), row.groups);
    for (const std::string_view how : {kColocRl.data(), "framework", "sole", "framework+sole", "framework+cells"}) {
      SCOPED_TRACE(how);
      const Grouping grouping = grouping_by(problem, how, row.groups, 1).value();
      EXPECT_EQ(grouping.size(), row.groups);
      expect_sound(problem, grouping);
    }
  }
}

TEST(Colocation, OtherGroupingsHaveAtMostAsManyGroups) {
  const Problem problem = zoo_problem("nmt-2,unroll=6", "k40x2");
  for (const std::string_view how : {"random", "modules", "heavy", "metis"}) {
    SCOPED_TRACE(how);
    for (const std::size_t groups : {1, 2, 8, 64, 100'000}) {
      const Result<Grouping> grouping = grouping_by(problem, how, groups, 1);
      if (how == "metis" && !grouping) continue;  // left out of this build
      ASSERT_TRUE(grouping) << grouping.error().message;
      // Inputs stay on the CPU, apart from what may run anywhere.
      EXPECT_LE(grouping->size(), std::max<std::size_t>(groups, 2));
      expect_sound(problem, *grouping);
      if (how == "heavy") {
        EXPECT_GE(grouping->size(), std::min<std::size_t>(groups, 64));
      }
    }
  }
}

TEST(Colocation, NoneIsAGroupPerUnit) {
  const Problem problem = zoo_problem("rnnlm,unroll=3", "k40x2");
  EXPECT_EQ(grouping_by(problem, "none", 16, 1).value().size(), problem.num_units());
}

TEST(Colocation, ChanceFollowsTheSeed) {
  const Problem problem = zoo_problem("rnnlm,unroll=3", "k40x2");
  const auto random = [&](std::uint64_t seed) { return grouping_by(problem, "random", 16, seed).value().of_unit; };
  EXPECT_EQ(random(1), random(1));
  EXPECT_NE(random(1), random(2));
  std::vector<int> units(16, 0);
  for (const std::uint32_t group : random(1)) ++units[group];
  // 16 groups: one holds what must be on the CPU, the others all else in about equal parts.
  std::ranges::sort(units);
  EXPECT_GT(units[1] * 2, units[15]);
}

TEST(Colocation, ModulesAreKeptWholeAtTheDeepestLevelThatFits) {
  const Problem problem = zoo_problem("rnnlm,unroll=5", "k40x2");
  const Grouping grouping = grouping_by(problem, "modules", 40, 1).value();
  std::map<std::string, std::set<std::uint32_t>> groups_of;
  for (const OpId op : problem.graph().ops()) {
    if (problem.graph().role(op) != Role::kCompute) continue;
    groups_of[problem.graph().module(op)].insert(grouping.of(problem, op));
  }
  std::set<std::uint32_t> cells;
  for (int step = 0; step < 5; ++step) {
    const auto& groups = groups_of.at(fmt::format("lstm.layer.1.t{}", step));
    EXPECT_EQ(groups.size(), 1U);
    cells.insert(*groups.begin());
  }
  EXPECT_EQ(cells.size(), 5U);
  // With few groups a layer is one, other than the layer below.
  const Grouping coarse = grouping_by(problem, "modules", 12, 1).value();
  std::array<std::set<std::uint32_t>, 2> layers;
  for (const OpId op : problem.graph().ops()) {
    if (problem.graph().role(op) != Role::kCompute) continue;
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
      if (problem.graph().module(op).starts_with(fmt::format("lstm.layer.{}.", layer))) {
        layers[layer].insert(coarse.of(problem, op));
      }
    }
  }
  EXPECT_EQ(layers[0].size(), 1U);
  EXPECT_EQ(layers[1].size(), 1U);
  EXPECT_NE(layers[0], layers[1]);
}

TEST(Colocation, AnOpJoinsItsOnlyConsumerAgainAndAgain) {
  const Problem problem = toy_problem("w:param -> b:1; a:1 -> b -> c:1; b -> d:1; c -> e:1; d -> f:1", kTwoGpus);
  EXPECT_EQ(grouped(problem, "sole"), "w b a | c e | d f");
  EXPECT_EQ(grouped(problem, "sole", 2), "w b a c e | d f");
}

TEST(Colocation, SoleConsumersStayWithinAShareOfTheWork) {
  const Problem problem = toy_problem("a:1 -> b:1 -> c:1 -> d:1", kTwoGpus);
  EXPECT_EQ(grouped(problem, "sole"), "a b c d");
  EXPECT_EQ(grouped(problem, "sole", 2), "a b | c d");
}

// a -> b and a -> c, and their gradients: gb and gc go to ga alone.
TEST(Colocation, GradientsThatFollowDoNotCountAsConsumers) {
  GraphBuilder builder("fork");
  const auto add = [&](std::string_view name, std::vector<OutputRef> inputs, OpId forward = kNoOp) {
    return builder.add({.name = name,
                        .type = "relu",
                        .inputs = std::move(inputs),
                        .outputs = {{DType::kF32, {8}}},
                        .forward_of = forward});
  };
  const OpId a = add("a", {});
  const OpId b = add("b", {{a, 0}}), c = add("c", {{a, 0}});
  const OpId gb = add("gb", {{b, 0}}, b), gc = add("gc", {{c, 0}}, c);
  add("ga", {{gb, 0}, {gc, 0}}, a);
  const Problem problem = make_problem(std::make_shared<const Graph>(std::move(builder).build().value()),
                                       std::make_shared<const Machine>(builtin_machine("k40x2").value()))
                              .value();
  EXPECT_EQ(grouped(problem, "framework"), "a ga | b gb | c gc");
  EXPECT_EQ(grouped(problem, "framework+sole"), "a ga | b gb | c gc");
  EXPECT_EQ(grouped(problem, "sole"), "a b c gb gc ga");
}

TEST(Colocation, OrderOfNamesDoesNotMatter) {
  const Problem problem = zoo_problem("rnnlm,unroll=4", "k40x2");
  EXPECT_EQ(grouping_by(problem, "sole+cells+framework", 20, 1).value().of_unit,
            grouping_by(problem, "framework+cells+sole", 20, 1).value().of_unit);
}

TEST(Colocation, UnknownNamesAreRefused) {
  const Problem problem = toy_problem("a:1", kTwoGpus);
  EXPECT_NE(grouping_by(problem, "cels", 2, 1).error().message.find("did you mean 'cells'"), std::string::npos);
  for (const std::string_view how : {"", "cells+", "framework+heavy", "cells sole"}) {
    EXPECT_FALSE(grouping_by(problem, how, 2, 1)) << how;
  }
  EXPECT_NE(grouping_by(problem, "heavy", 0, 1).error().message.find("needs a number of groups"), std::string::npos);
}

TEST(Colocation, SmallAndOddProblemsAreGroupedToo) {
  for (const PlanToy& toy : plan_toys()) {
    SCOPED_TRACE(toy.name);
    for (const std::string_view how : {kColocRl.data(), "random", "modules", "heavy", "metis", "none"}) {
      SCOPED_TRACE(how);
      const Result<Grouping> grouping = grouping_by(toy.problem, how, 5, 1);
      if (how == "metis" && !grouping) continue;
      ASSERT_TRUE(grouping) << grouping.error().message;
      expect_sound(toy.problem, *grouping);
    }
  }
}

}  // namespace
}  // namespace berth::learn

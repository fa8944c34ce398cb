// SPDX-License-Identifier: Apache-2.0
#include "learn/train/monitor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/text.h"

namespace berth::learn {
namespace {

// A run as it should be: rewards rise and settle, choices become fewer, one device is beaten early on.
UpdateFacts healthy(std::uint64_t update) {
  const double progress = std::min(1.0, static_cast<double>(update) / 200.0);
  UpdateFacts facts;
  facts.update = update;
  facts.evaluations = 8 * update;
  facts.plans = facts.fitting = 8;
  facts.mean_reward = -2.0 + progress;
  facts.reward_deviation = 0.6 * (1.0 - progress) + 0.02;
  facts.entropies = {
      .grouping = 4.0 - 3.5 * progress, .placing = 1.0 - 0.96 * progress, .most_grouping = 4.16, .most_placing = 1.1};
  facts.used_groups = 60.0 - 50.0 * progress;
  facts.best_s = update < 10 ? 2.0 : 0.5;
  return facts;
}

using Change = std::function<void(UpdateFacts&)>;

// All that is said about a run of that many updates, each line behind its update.
std::vector<std::string> said(const Change& change, std::uint64_t updates = 400,
                              const Options& options = HierarchicalOptions(), std::optional<double> single_s = 1.0) {
  Monitor monitor(options, single_s);
  std::vector<std::string> lines;
  for (std::uint64_t update = 1; update <= updates; ++update) {
    UpdateFacts facts = healthy(update);
    change(facts);
    for (const std::string& line : monitor.watch(facts)) {
      EXPECT_TRUE(line.find("(try --option ") != std::string::npos && line.ends_with(")")) << line;
      EXPECT_EQ(line.find('\n'), std::string::npos);
      lines.push_back(std::to_string(update) + " " + line.substr(0, line.find(':')));
    }
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(Monitor, SaysNothingAboutAHealthyRun) {
  EXPECT_EQ(said([](UpdateFacts&) {}, 2000), Lines{});
}

TEST(Monitor, RewardVarianceNotFalling) {
  EXPECT_EQ(said([](UpdateFacts& facts) { facts.reward_deviation = 0.6; }), Lines{"100 reward variance not falling"});
  EXPECT_EQ(said([](UpdateFacts& facts) { facts.reward_deviation = 0.03; }), Lines{}) << "small from the start";
}

TEST(Monitor, RewardVarianceIsSeenBetweenUpdatesOfOnePlan) {
  const auto single_plans = [](double spread) {
    return [spread](UpdateFacts& facts) {
      facts.plans = 1, facts.reward_deviation = 0.0;
      facts.mean_reward = -2.0 + (facts.update % 2 == 0 ? spread : -spread);
    };
  };
  EXPECT_EQ(said(single_plans(0.5)), Lines{"100 reward variance not falling"});
  EXPECT_EQ(said(single_plans(0.01)), Lines{});
}

TEST(Monitor, EntropyGone) {
  const auto gone_from = [](std::uint64_t first) {
    return [first](UpdateFacts& facts) { facts.entropies.placing = facts.update >= first ? 0.05 : 0.5; };
  };
  EXPECT_EQ(said(gone_from(30)), Lines{"30 entropy gone"}) << "too early, although one device is beaten";
  EXPECT_EQ(said(gone_from(150)), Lines{}) << "late, and something good was found";
  const auto nothing_found = [&](UpdateFacts& facts) { gone_from(150)(facts), facts.best_s = 1.5; };
  EXPECT_EQ(said(nothing_found, 180), Lines{"150 entropy gone"});
  EXPECT_EQ(said([](UpdateFacts& facts) { facts.entropies = {}; }), Lines{}) << "no choice at all: one device";
}

TEST(Monitor, AllGroupsCollapsed) {
  const Change collapsed = [](UpdateFacts& facts) { facts.used_groups = facts.update >= 50 ? 1.2 : 30.0; };
  EXPECT_EQ(said(collapsed), Lines{"59 all groups collapsed"});
  EXPECT_EQ(said([](UpdateFacts& facts) { facts.used_groups = facts.update % 5 == 0 ? 3.0 : 1.0; }), Lines{})
      << "of a handful of ops all may be in one group by chance";
  EXPECT_EQ(said([](UpdateFacts& facts) { facts.used_groups = 0.0; }), Lines{}) << "a policy without groups";
  HierarchicalOptions one;
  one.groups = 1;
  EXPECT_EQ(said(collapsed, 400, one), Lines{}) << "as asked for";
}

TEST(Monitor, BestPlanNoBetterThanOneDevice) {
  const Change as_one = [](UpdateFacts& facts) { facts.best_s = 1.0; };
  EXPECT_EQ(said(as_one), (Lines{"197 entropy gone", "200 best plan no better than one device"}));
  EXPECT_EQ(said([](UpdateFacts& facts) { facts.best_s = facts.update < 190 ? 1.0 : 0.9; }), Lines{});
  EXPECT_EQ(said(as_one, 400, HierarchicalOptions(), std::nullopt), Lines{}) << "the model fits on no device alone";
}

TEST(Monitor, NoPlanFitsInMemoryYet) {
  const auto until = [](std::uint64_t last) {
    return [last](UpdateFacts& facts) {
      if (facts.update <= last) facts.best_s.reset();
    };
  };
  EXPECT_EQ(said(until(1000), 150), Lines{"50 no plan fits in memory yet"});
  EXPECT_EQ(said(until(49)), Lines{});
}

TEST(Monitor, AskedNotToLearnNobodyIsToldHowTo) {
  HierarchicalOptions still;
  still.rate = 0.0;
  const auto spread = [](UpdateFacts& facts) { facts.reward_deviation = 2.0, facts.best_s = 1.5; };
  EXPECT_NE(said(spread), Lines{});
  EXPECT_EQ(said(spread, 400, still), Lines{});
  EXPECT_EQ(said([](UpdateFacts& facts) { facts.used_groups = 1.0, facts.entropies.placing = 0.0; }, 400, still),
            Lines{});
}

TEST(Monitor, TheWayOutFitsTheOptions) {
  const auto line_of = [](const Options& options) {
    Monitor monitor(options, std::nullopt);
    UpdateFacts facts = healthy(60);
    facts.best_s.reset();
    return monitor.watch(facts).at(0);
  };
  HierarchicalOptions options;
  options.reward.failing = FailingKind::kConstant;
  EXPECT_EQ(line_of(options),
            "no plan fits in memory yet: 480 plans measured in 60 updates (try --option failing=graded)");
  options.reward.failing = FailingKind::kGraded;
  EXPECT_NE(line_of(options).find("(try --option start-by-speed=off, "), std::string::npos);
  options.start_by_speed = false;
  EXPECT_TRUE(line_of(options).ends_with("(try --option start-by-speed=on)"));
}

// Whatever is proposed is an option of that method.
TEST(Monitor, ProposesOptionsThatTheMethodHas) {
  for (const MethodInfo& method : methods()) {
    SCOPED_TRACE(method.name);
    const Hints hints = method.hints(method.presets.front().options);
    EXPECT_FALSE(hints.more_plans.empty());
    for (const std::string& hint : {hints.more_plans, hints.apart, hints.more_groups}) {
      for (const std::string_view word : split(hint, ' ')) {
        if (word == "or" || word == "--option" || word.empty()) continue;
        Options options = method.presets.front().options;
        EXPECT_TRUE(set_option(options, word)) << word;
      }
    }
  }
}

}  // namespace
}  // namespace berth::learn

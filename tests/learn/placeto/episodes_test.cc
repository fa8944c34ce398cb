// SPDX-License-Identifier: Apache-2.0
#include "learn/placeto/episodes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "learn/placeto/fixture.h"
#include "plan/toys.h"
#include "sim/simulator.h"

namespace berth::learn {
namespace {

using Devices = std::vector<std::uint8_t>;

constexpr const char* kTwins =
    "device p; device q; device r; link p q latency=1; link p r latency=1; link q r latency=1";

class PlacetoEpisodes : public testing::Test {
 protected:
  PlacetoEpisodes() : problem_(heft_example()), alone_(make_alone()) {
    learner_ = placeto_for({&problem_}, small_placeto(), 3, *alone_);
    scatter(learner_->parameters(), 5, 0.3);
  }
  PlacetoLesson& lesson() { return learner_->lesson(0); }

  Problem problem_;
  std::unique_ptr<Communicator> alone_;
  std::unique_ptr<PlacetoLearner> learner_;
};

TEST_F(PlacetoEpisodes, EveryPlanIsWhatWasChosenAndItsTimeThatOfTheSimulator) {
  Rng rng(1);
  std::vector<Plan> plans;
  std::vector<Score> scores;
  EpisodeRun run{.episodes = 3, .sweeps = 2};
  run.on_plan = [&](const Plan& plan, const Score& score) {
    plans.push_back(plan);
    scores.push_back(score);
  };
  const PlacetoTrace trace = run_episodes(lesson(), learner_->network(), Devices(10, 1), run, rng).value();
  ASSERT_EQ(trace.steps.size(), 20U);
  ASSERT_EQ(plans.size(), 1 + 3 * 20U);
  std::vector<Devices> now(3, Devices(10, 1));
  EXPECT_EQ(plans[0], plan_of(lesson().graph, now[0]));
  for (std::size_t step = 0; step < 20; ++step) {
    EXPECT_EQ(trace.steps[step].turn, step % 10);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(trace.steps[step].seen[i].device_of, now[i]);
      now[i][step % 10] = static_cast<std::uint8_t>(trace.steps[step].chosen[i]);
      const std::size_t plan = 1 + step * 3 + i;
      ASSERT_EQ(plans[plan], plan_of(lesson().graph, now[i])) << step << ' ' << i;
      EXPECT_EQ(scores[plan], simulate(problem_, plans[plan]));
      EXPECT_DOUBLE_EQ(trace.measured[i][step + 1].time_s, to_seconds(scores[plan].step_time));
    }
  }
}

TEST_F(PlacetoEpisodes, StartsOfGroupsAreThoseOfTheTimeline) {
  Rng rng(1);
  const PlacetoTrace trace =
      run_episodes(lesson(), learner_->network(), Devices(10, 2), EpisodeRun{.episodes = 2}, rng).value();
  for (const PlacetoStep& step : trace.steps) {
    for (const Moment& seen : step.seen) {
      const Timeline timeline = simulate_timeline(problem_, plan_of(lesson().graph, seen.device_of));
      ASSERT_EQ(timeline.ops.size(), 10U);
      for (const OpEvent& event : timeline.ops) {
        const std::size_t group = static_cast<std::size_t>(
            lesson().graph.items.position[lesson().graph.items.grouping.of(problem_, event.op)]);
        const double share = static_cast<double>(event.start) / static_cast<double>(timeline.score.step_time);
        ASSERT_NEAR(seen.start[group], share, 1e-6);
      }
    }
  }
}

TEST_F(PlacetoEpisodes, AColumnDoesNotSeeTheOthers) {
  Rng rng(4);
  const PlacetoTrace trace =
      run_episodes(lesson(), learner_->network(), Devices(10, 0), EpisodeRun{.episodes = 5}, rng).value();
  const at::NoGradGuard guard;
  const PlacetoBatch batch = batch_of(lesson(), trace.steps, at::kCPU);
  const Tensor logs = learner_->network().log_probabilities(lesson().network, batch.input);
  const std::vector<float> together = floats_of(logs.gather(1, batch.chosen)), then = floats_of(batch.log_then);
  ASSERT_EQ(together.size(), 50U);
  for (std::size_t i = 0; i < together.size(); ++i) EXPECT_NEAR(together[i], then[i], 1e-4) << i;
}

TEST_F(PlacetoEpisodes, PoolsAreAncestorsDescendantsAndPeers) {
  Rng rng(4);
  const PlacetoTrace trace =
      run_episodes(lesson(), learner_->network(), Devices(10, 0), EpisodeRun{.episodes = 2}, rng).value();
  const PlacetoBatch batch = batch_of(lesson(), std::span(trace.steps).subspan(3, 1), at::kCPU);  // of t4
  std::array<std::string, 3> members;
  for (std::size_t pool = 0; pool < 3; ++pool) {
    const std::vector<float> mask = floats_of(batch.input.pools[pool]);
    for (std::size_t group = 0; group < 10; ++group) {
      ASSERT_EQ(mask[2 * group], mask[2 * group + 1]);
      if (mask[2 * group] <= 0.0F) continue;
      members[pool] += ' ';
      members[pool] += problem_.graph().name(lesson().graph.ops[group][0]);
    }
  }
  EXPECT_EQ(members[0], " t1");
  EXPECT_EQ(members[1], " t8 t9 t10");
  EXPECT_EQ(members[2], " t2 t3 t5 t6 t7");
}

// Equal devices are alike: exchanging them in a placement exchanges their chances.
TEST(PlacetoNetwork, KnowsDevicesByWhatTheyAreNotByTheirPlace) {
  const Problem problem = toy_problem("a:2 -> b:3; a -> c:4; b -> d:1; c -> d", kTwins);
  const std::unique_ptr<Communicator> alone = make_alone();
  const auto learner = placeto_for({&problem}, small_placeto(), 2, *alone);
  scatter(learner->parameters(), 7, 0.1);
  const auto first_chances = [&](const Devices& start) {
    Rng rng(1);
    PlacetoLesson& lesson = learner->lesson(0);
    const PlacetoTrace trace = run_episodes(lesson, learner->network(), start, EpisodeRun{}, rng).value();
    const PlacetoBatch batch = batch_of(lesson, std::span(trace.steps).first(1), at::kCPU);
    return floats_of(learner->network().log_probabilities(lesson.network, batch.input));
  };
  const std::vector<float> one = first_chances({0, 1, 2, 1}), other = first_chances({2, 1, 0, 1});
  EXPECT_NEAR(one[0], other[2], 1e-5);
  EXPECT_NEAR(one[1], other[1], 1e-5);
  EXPECT_NEAR(one[2], other[0], 1e-5);
  EXPECT_GT(std::abs(one[0] - one[2]), 1e-3) << "devices in different use are not alike";
}

// 2,000 groups: two chains with rungs. Only as many steps as it takes to see that they work.
TEST(PlacetoNetwork, ThousandsOfGroupsAreNoTrouble) {
  std::string text = "o0:1; o1:1";
  for (int i = 2; i < 2'000; ++i) text += fmt::format("; o{} -> o{}:1", i - (i % 10 == 0 ? 1 : 2), i);
  const Problem problem = toy_problem(text, kTwins);
  const std::unique_ptr<Communicator> alone = make_alone();
  const auto learner = placeto_for({&problem}, small_placeto(), 2, *alone);
  ASSERT_EQ(learner->lesson(0).graph.size(), 2'000U);
  EXPECT_EQ(learner->plans_per_update(), 1 + 4 * 2'000U);
  std::uint64_t plans = 0;
  learner->set_on_plan([&](std::size_t, const Plan&, const Score&) { ++plans; });
  EXPECT_FALSE(learner->update(21).value());  // fewer plans than an update needs: measured, but nothing is learned
  EXPECT_EQ(plans, 21U);
  EXPECT_EQ(learner->updates(), 0U);
}

}  // namespace
}  // namespace berth::learn

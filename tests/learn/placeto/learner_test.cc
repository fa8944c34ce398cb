// SPDX-License-Identifier: Apache-2.0
#include "learn/placeto/placeto_learner.h"

#include <gtest/gtest.h>

#include <set>

#include "learn/distributed/thread_communicator.h"
#include "learn/method_options.h"
#include "learn/placeto/fixture.h"
#include "learn/toys.h"
#include "plan/toys.h"

namespace berth::learn {
namespace {

bool same(const TrainState& a, const TrainState& b) {
  bool lessons = a.lessons.size() == b.lessons.size();
  for (std::size_t i = 0; lessons && i < a.lessons.size(); ++i) {
    lessons = a.lessons[i].baseline == b.lessons[i].baseline && a.lessons[i].deviation == b.lessons[i].deviation &&
              a.lessons[i].best == b.lessons[i].best;
  }
  return lessons && a.updates == b.updates && a.evaluations == b.evaluations && a.values == b.values &&
         a.adam.steps == b.adam.steps && a.adam.mean == b.adam.mean && a.adam.square == b.adam.square &&
         a.rng.state() == b.rng.state();
}

void run_updates(Learner& learner, int updates) {
  for (int i = 0; i < updates; ++i) ASSERT_TRUE(learner.update().value());
}

// Two machines with different numbers of devices, one policy.
class TwoLessons : public testing::Test {
 protected:
  TwoLessons()
      : first_(heft_example()),
        second_(toy_problem("a:2 -> b:3 -> c:2; d:4 -> e:1", kTwoDevices)),
        alone_(make_alone()) {}
  std::unique_ptr<PlacetoLearner> make(Communicator& communicator, int threads = 1, int of_update = 0) {
    PlacetoOptions options = small_placeto();
    options.lessons = of_update;
    return placeto_for({&first_, &second_}, options, 7, communicator, threads);
  }

  Problem first_, second_;
  std::unique_ptr<Communicator> alone_;
};

TEST_F(TwoLessons, DependOnTheSeedAloneWhateverTheThreads) {
  const auto one = make(*alone_), three = make(*alone_, 3);
  run_updates(*one, 5);
  run_updates(*three, 5);
  EXPECT_TRUE(same(one->state(), three->state()));
  EXPECT_EQ(one->updates(), 5U);
  EXPECT_EQ(one->evaluations(), 5 * one->plans_per_update());
  EXPECT_EQ(one->plans_per_update(), 1 + 4 * 10 + 1 + 4 * 5U);
}

TEST_F(TwoLessons, AStoppedUpdateLeavesNoTraceButTheBestPlans) {
  const auto learner = make(*alone_);
  run_updates(*learner, 2);
  TrainState before = learner->state();
  int plans = 0;
  learner->set_on_plan([&](std::size_t, const Plan&, const Score&) { ++plans; });
  learner->set_should_stop([&] { return plans >= 50; });  // in the midst of the second lesson
  EXPECT_FALSE(learner->update().value());
  EXPECT_GE(plans, 50);
  const TrainState after = learner->state();
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_FALSE(better(before.lessons[i].best->score, after.lessons[i].best_known()->score));
  }
  EXPECT_TRUE(same(before, after));
  // Gone on with, it gives the numbers of one that was not stopped.
  learner->set_should_stop({});
  const auto other = make(*alone_);
  run_updates(*other, 3);
  run_updates(*learner, 1);
  EXPECT_EQ(learner->state().values, other->state().values);
}

TEST_F(TwoLessons, GoOnFromASavedState) {
  const auto whole = make(*alone_), begun = make(*alone_), resumed = make(*alone_);
  run_updates(*whole, 6);
  run_updates(*begun, 3);
  resumed->restore(begun->state());
  run_updates(*resumed, 3);
  EXPECT_TRUE(same(whole->state(), resumed->state()));
}

TEST_F(TwoLessons, AnUpdateTakesAsManyAsItIsTold) {
  const auto learner = make(*alone_, 1, 1);
  std::set<std::size_t> of_all;
  for (int i = 0; i < 8; ++i) {
    std::set<std::size_t> seen;
    learner->set_on_plan([&](std::size_t lesson, const Plan&, const Score&) { seen.insert(lesson); });
    run_updates(*learner, 1);
    EXPECT_EQ(seen.size(), 1U);
    of_all.merge(seen);
  }
  EXPECT_EQ(of_all.size(), 2U);
}

TEST_F(TwoLessons, RanksStayTheSame) {
  std::vector<std::vector<float>> values(2);
  std::vector<std::uint64_t> evaluations(2);
  run_ranks(2, 600.0, [&](Communicator& communicator) {
    const auto learner = make(communicator);
    run_updates(*learner, 3);
    const auto rank = static_cast<std::size_t>(communicator.rank());
    values[rank] = learner->state().values;
    evaluations[rank] = learner->evaluations();
  });
  EXPECT_EQ(values[0], values[1]);
  const auto alone = make(*alone_);
  run_updates(*alone, 3);
  EXPECT_NE(values[0], alone->state().values);
  EXPECT_EQ(evaluations[0], evaluations[1]);
  EXPECT_EQ(evaluations[0], 2 * alone->evaluations());
}

TEST_F(TwoLessons, StartWhereTheOptionSays) {
  for (const std::string how : {"random", "single", "best", "turns"}) {
    const PlacetoOptions options = with(small_placeto(), "first-placement=" + how);
    const auto learner = placeto_for({&second_}, options, 7, *alone_);
    std::vector<Plan> firsts;
    for (int i = 0; i < 4; ++i) {
      const std::optional<ScoredPlan> best = learner->lessons()[0].best;
      std::optional<Plan> first;
      learner->set_on_plan([&](std::size_t, const Plan& plan, const Score&) { first = first.value_or(plan); });
      run_updates(*learner, 1);
      firsts.push_back(*first);
      if (best && (how == "best" || (how == "turns" && i % 2 == 1))) {
        EXPECT_EQ(*first, best->plan) << how << i;
      }
      if (how == "single") {
        EXPECT_EQ(first->device_of, std::vector<DeviceId>(5, first->device_of[0]));
      }
    }
    if (how == "random") {
      EXPECT_FALSE(firsts[0] == firsts[1] && firsts[1] == firsts[2] && firsts[2] == firsts[3]);
    }
  }
}

// What it learned on two chains serves three on another machine: the first sweep, without learning, is much better than
// where it began.
TEST(Placeto, TheFirstSweepImprovesWhatItNeverSaw) {
  const Problem known = toy_problem("a:2 -> b:3 -> c:2 -> d:4; h:2 -> i:3 -> j:2 -> k:4", kTwoDevices);
  const Problem unseen = toy_problem("a:1 -> b:5 -> c:2 -> d:4; h:3 -> i:3 -> j:1 -> k:4; l:2 -> m:2 -> n:7",
                                     "device p; device q; device r; link p q latency=5; link p r latency=5; "
                                     "link q r latency=5");
  const std::unique_ptr<Communicator> alone = make_alone();
  const auto teacher = placeto_for({&known}, small_placeto(), 1, *alone);
  run_updates(*teacher, 60);
  int improved = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto pupil = placeto_for({&unseen}, small_placeto(), seed, *alone);
    pupil->parameters().set_values(teacher->parameters().values());
    std::optional<Score> first;
    Search search(unseen, {.evaluations = 12, .seed = seed}, 0);
    Rng rng(seed);
    pupil->propose(0, search, {.plans = 12}, rng);
    EXPECT_EQ(search.evaluations(), 12U) << "one sweep: the start and eleven groups";
    Rng again(seed);
    Search start(unseen, {.evaluations = 1, .seed = seed}, 0);
    pupil->propose(0, start, {.plans = 1}, again);
    improved += to_seconds(search.best_score().step_time) < 0.8 * to_seconds(start.best_score().step_time) ? 1 : 0;
  }
  EXPECT_GE(improved, 9);
}

TEST(Placeto, RefusesWhatItCannotDo) {
  const Problem two = toy_problem("a:1 -> b:1", "2 devices"), three = toy_problem("a:1 -> b:1", "3 devices");
  const std::unique_ptr<Communicator> alone = make_alone();
  const auto error = [&](const Options& options) {
    std::vector<std::unique_ptr<Environment>> environments;
    for (const Problem* problem : {&two, &three}) environments.push_back(make_simulated_environment(*problem, 1));
    const auto learner = make_learner(std::move(environments), options, 1, "cpu", *alone);
    return learner ? std::string() : learner.error().message;
  };
  EXPECT_EQ(error(placeto_default()), "");
  EXPECT_EQ(error(preset("placeto", "paper").value()),
            "device-head=fixed is for one machine; these have 2 and 3 devices (device-head=scored is for any)");
}

}  // namespace
}  // namespace berth::learn

// SPDX-License-Identifier: Apache-2.0
#include "plan/refine/moves.h"

#include <gtest/gtest.h>

#include <set>

#include "plan/search/placement.h"
#include "plan/toys.h"
#include "sim/simulator.h"

namespace berth {
namespace {

// Everything a move needs, from a plan with priorities.
struct Scene {
  Scene(const Problem& for_problem, Plan plan, std::uint64_t seed = 1)
      : problem(for_problem),
        domains(problem),
        level(problem, one_group_per_unit(problem)),
        hot(problem),
        score(simulate(problem, plan)),
        draft(problem, std::move(plan)),
        picks(problem, Rng(seed)) {
    picks.take(level);
    hot.find(level, draft.plan());
    draft.begin(score);
  }
  [[nodiscard]] MoveContext context() { return {problem, domains, directed, level, hot, score, draft, picks}; }

  const Problem& problem;
  const MemoryDomains domains;
  DirectedMoves directed;
  const Level level;
  HotSpots hot;
  Score score;
  Draft draft;
  Picks picks;
};

// a and b wait for each other on gpu0, c runs beside them.
Problem two_in_a_row() { return toy_problem("a:9/2/2; b:9/2/2; c:9/1/1", kTwoGpus); }
Plan with_priorities(const Problem& problem) {
  Plan plan = toy_plan(problem, "a@gpu0 b@gpu0 c@gpu1");
  plan.priority = {2.0, 1.0, 0.0};
  return plan;
}

TEST(Moves, SharesAddUpToAllMoves) {
  int percent = 0;
  std::set<std::string_view> names;
  for (const MoveKind& kind : move_kinds()) {
    EXPECT_GT(kind.percent, 0) << kind.name;
    percent += kind.percent;
    names.insert(kind.name);
  }
  EXPECT_EQ(percent, 100);
  EXPECT_EQ(names.size(), move_kinds().size());
}

// Whatever is drawn, some move is made: the last kind needs nothing.
TEST(Moves, TheLastKindIsAlwaysPossible) {
  const Problem problem = two_in_a_row();
  Scene scene(problem, with_priorities(problem));
  scene.hot.clear();
  EXPECT_TRUE(move_kinds().back().is_possible(scene.context()));
}

TEST(Moves, EveryKindChangesTheDraftOnSomeSeed) {
  const Problem problem = two_in_a_row();
  for (const MoveKind& kind : move_kinds()) {
    bool changed = false;
    for (std::uint64_t seed = 1; seed <= 20 && !changed; ++seed) {
      Scene scene(problem, with_priorities(problem), seed);
      ASSERT_TRUE(kind.is_possible(scene.context())) << kind.name;
      kind.propose(scene.context());
      changed = scene.draft.is_changed();
    }
    EXPECT_TRUE(changed) << kind.name;
  }
}

TEST(Moves, DirectedKindsCanBeSwitchedOff) {
  const Problem problem = two_in_a_row();
  Scene scene(problem, with_priorities(problem));
  const auto possible = [&] {
    int count = 0;
    for (const MoveKind& kind : move_kinds()) count += kind.is_possible(scene.context()) ? 1 : 0;
    return count;
  };
  const int all = possible();
  scene.directed.order = false;
  EXPECT_EQ(possible(), all - 1);
  scene.directed.critical_path = false;
  EXPECT_EQ(possible(), all - 2);
}

// The weight costs as much to send as it frees; its reader frees next to nothing and would be sent all of it.
TEST(Moves, HalfOfThemRelieveMemoryWhileAPlanDoesNotFit) {
  const Problem problem = toy_problem("v:param:150B -> a:9/2/2:1B", kTwoGpus);
  int reliefs = 0, weights = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Scene scene(problem, plan_on_one_device(problem, DeviceId{1}), seed);
    ASSERT_FALSE(scene.score.feasible);
    if (!Rng(seed).chance(0.5)) continue;  // the first number that it draws
    propose_move(scene.context());
    EXPECT_EQ(scene.draft.num_moved(), 1U) << seed;
    ++reliefs;
    weights += scene.draft.has_moved(scene.level.group(OpId{0})) ? 1 : 0;
  }
  EXPECT_GT(reliefs, 60);
  EXPECT_GT(weights, reliefs * 8 / 10) << "of four groups the one that is cheapest to send";
}

TEST(Draft, TakesBackWhatAMoveChanged) {
  const Problem problem = two_in_a_row();
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Scene scene(problem, with_priorities(problem), seed);
    propose_move(scene.context());
    scene.draft.undo(scene.level);
    EXPECT_EQ(scene.draft.plan(), with_priorities(problem)) << seed;
  }
}

TEST(Draft, KnowsTheWorkOfDevices) {
  const Problem problem = two_in_a_row();
  Scene scene(problem, with_priorities(problem));
  EXPECT_EQ(to_seconds(scene.draft.load(DeviceId{1})), 4);
  scene.draft.move(scene.level, scene.level.group(OpId{0}), DeviceId{2});
  EXPECT_EQ(to_seconds(scene.draft.load(DeviceId{1})), 2);
  EXPECT_EQ(to_seconds(scene.draft.load(DeviceId{2})), 3);
  EXPECT_TRUE(scene.draft.has_moved(scene.level.group(OpId{0})));
  EXPECT_FALSE(scene.draft.has_moved(scene.level.group(OpId{1})));
}

TEST(HotSpots, FindsWhoWaitedForItsDevice) {
  const Problem problem = two_in_a_row();
  Scene scene(problem, with_priorities(problem));
  ASSERT_EQ(scene.hot.waits().size(), 1U);
  EXPECT_EQ(scene.hot.waits()[0].waiting, OpId{1});
  EXPECT_EQ(scene.hot.waits()[0].ahead, OpId{0});
  for (const HotSpots::Group& hot : scene.hot.groups()) {
    EXPECT_NE(hot.group, scene.level.group(OpId{2})) << "c is on no critical path";
    EXPECT_EQ(hot.towards, kNoDevice);
  }
}

// 5 s on gpu1 are too much for a step of 4 s: c goes to gpu0 in return for a.
TEST(Balance, AnOverloadedDeviceGivesOtherGroupsAway) {
  const Problem problem = toy_problem("a:9/2/2; b:9/2/2; c:9/1/1; d:9/2/2", kTwoGpus);
  Scene scene(problem, toy_plan(problem, "a@gpu0 b@gpu0 c@gpu1 d@gpu1"));
  scene.draft.move(scene.level, scene.level.group(OpId{0}), DeviceId{2});
  ASSERT_EQ(to_seconds(scene.draft.load(DeviceId{2})), 5);
  EXPECT_TRUE(balance_work(scene.context(), to_picoseconds(4)));
  EXPECT_EQ(scene.draft.plan().device(OpId{0}), DeviceId{2}) << "the move itself stays";
  for (const DeviceId device : {DeviceId{1}, DeviceId{2}}) EXPECT_LE(to_seconds(scene.draft.load(device)), 4);
}

TEST(Balance, GivesUpWhereThereIsTooMuchWork) {
  const Problem problem = two_in_a_row();
  Scene scene(problem, with_priorities(problem));
  EXPECT_FALSE(balance_work(scene.context(), to_picoseconds(1)));
}

}  // namespace
}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "plan/construct/baechi.h"
#include "plan/construct/earliest_task_first.h"
#include "plan/construct/heft.h"
#include "plan/construct/partial_schedule.h"
#include "plan/toys.h"
#include "sim/simulator.h"

namespace berth {
namespace {

struct RanList {
  std::string plan;  // "a@x b@y"
  double seconds;
  bool feasible;
  std::string note;
};

std::string places(const Problem& problem, const Plan& plan) {
  std::string text;
  for (const OpId op : problem.graph().ops()) {
    text += fmt::format("{}{}@{}", text.empty() ? "" : " ", problem.graph().name(op),
                        problem.machine().device(plan.device(op)).name);
  }
  return text;
}

template <typename T>
RanList run_list(const Problem& problem) {
  Search search(problem, {.evaluations = 10});
  const Plan plan = T().plan(search).value();
  const Score score = simulate(problem, plan);
  return {places(problem, plan), to_seconds(score.step_time), score.feasible, search.note()};
}

TEST(Heft, GivesTheScheduleOfItsPaper) {
  const RanList ran = run_list<HeftPlanner>(heft_example());
  EXPECT_EQ(ran.seconds, 80.0);
  EXPECT_EQ(ran.plan, "t1@p3 t2@p1 t3@p3 t4@p2 t5@p3 t6@p2 t7@p3 t8@p1 t9@p2 t10@p2");
}

TEST(Heft, InsertsIntoInnerGaps) {
  // a 0-2, b 3-6 on y, c 7-12: d and e rank below c and fill the gap 2-7 before it.
  const Problem problem = toy_problem("a:2/- -> b:-/3 -> c:5/-; d:4/-; e:1/-", kPair);
  EXPECT_EQ(run_list<HeftPlanner>(problem).seconds, 12.0);
}

TEST(Heft, AParameterHasItsHomeWithItsFirstReader) {
  const Problem problem = toy_problem("w:param:8B -> v:view:8B -> a:9/1 -> u:1:update=w; w -> u", kPair);
  EXPECT_EQ(run_list<HeftPlanner>(problem).plan, "w@y v@y a@y u@y");
}

TEST(Heft, TriesAgainWithinMemoryWhenItsPlanDoesNotFit) {
  const Problem problem = toy_problem("a:1/2:6B:out; b:5/6:6B:out", "device x memory=8B; device y memory=8B; link x y");
  EXPECT_TRUE(run_list<HeftPlanner>(problem).feasible);
  const Problem chain =
      toy_problem("a:1/9:6B:1B; a.0:out; a.1 -> b:1/9:6B:out", "device x memory=8B; device y memory=8B; link x y");
  const RanList ran = run_list<HeftPlanner>(chain);
  EXPECT_EQ(ran.plan, "a@x b@y");
  EXPECT_TRUE(ran.feasible);
  EXPECT_NE(ran.note.find("of each device's memory"), std::string::npos) << ran.note;
}

TEST(MTopo, FillsDevicesToTheirShareAndTheLargestOp) {
  // 16 bytes on two devices: a cap of 8 + 4.
  const Problem problem = toy_problem("a:1:4B -> b:1:4B -> c:1:4B -> d:1:4B", kPair);
  EXPECT_EQ(run_list<MTopoPlanner>(problem).plan, "a@x b@x c@x d@y");
  const Problem without_memory =
      toy_problem("a:1:4B -> b:1:4B -> c:1:4B -> d:1:4B", "device x memory=0B; device y memory=0B; link x y");
  EXPECT_EQ(run_list<MTopoPlanner>(without_memory).plan, "a@x b@x c@x d@y") << "equal shares of nothing";
}

TEST(MEtf, StaysWhereTheDataIsUntilMemoryIsFull) {
  constexpr std::string_view graph = "a:1:6B:1B; a.0:out; a.1 -> b:1:6B:out";
  EXPECT_EQ(run_list<MEtfPlanner>(toy_problem(graph, kPair)).plan, "a@x b@x");
  const RanList tight =
      run_list<MEtfPlanner>(toy_problem(graph, "device x memory=10B; device y memory=10B; link x y rate=1"));
  EXPECT_EQ(tight.plan, "a@x b@y");
  EXPECT_TRUE(tight.feasible);
}

TEST(MEtf, OutputsAreFreedBehindTheLastConsumer) {
  // Never more than two of the tensors at a time, so one device is enough.
  const Problem problem =
      toy_problem("a:1:4B -> b:1:4B -> c:1:4B -> d:1:4B", "device x memory=8B; device y memory=8B; link x y rate=1");
  const RanList ran = run_list<MEtfPlanner>(problem);
  EXPECT_EQ(ran.plan, "a@x b@x c@x d@x");
  EXPECT_TRUE(ran.feasible);
}

TEST(MEtf, SpreadsWhatIsIndependent) {
  const RanList ran = run_list<MEtfPlanner>(toy_problem("a:3; b:3; c:3; d:3", kPair));
  EXPECT_EQ(ran.seconds, 6.0);
}

TEST(MEtf, OnUnequalDevicesAStartCountsLaterWhereTheOpIsSlower) {
  EXPECT_EQ(run_list<MEtfPlanner>(toy_problem("a:9/1; b:9/1; c:9/1", kPair)).seconds, 3.0);
}

TEST(PartialSchedule, ATensorIsSentOnceAndLinksCarryOneAtATime) {
  const Problem problem = toy_problem("a:1:2B:3B -> b:1; a -> c:1; a.1 -> d:1", kPair);
  const Grouping grouping = one_group_per_unit(problem);
  PartialSchedule schedule(problem, grouping, 3, LinkModel::kQueued);
  const OpId a{0}, b{1}, c{2}, d{3};
  const DeviceId x{0}, y{1};
  schedule.set(a, schedule.settle(a, x), to_picoseconds(1));
  EXPECT_EQ(schedule.data_ready(c, y), to_picoseconds(3));
  EXPECT_EQ(schedule.data_ready(d, y), to_picoseconds(4));
  EXPECT_EQ(schedule.settle(b, y), to_picoseconds(3));
  EXPECT_EQ(schedule.last_sent().size(), 1U);
  EXPECT_EQ(schedule.data_ready(d, y), to_picoseconds(6));  // behind a.0 on the link
  EXPECT_EQ(schedule.settle(c, y), to_picoseconds(3));
  EXPECT_TRUE(schedule.last_sent().empty());
}

TEST(PartialSchedule, WithoutQueuesEveryTransferIsAlone) {
  const Problem problem = toy_problem("a:1:2B:3B -> b:1; a.1 -> d:1", kPair);
  const Grouping grouping = one_group_per_unit(problem);
  PartialSchedule schedule(problem, grouping, 3, LinkModel::kIdle);
  schedule.set(OpId{0}, schedule.settle(OpId{0}, DeviceId{0}), to_picoseconds(1));
  schedule.settle(OpId{1}, DeviceId{1});
  EXPECT_EQ(schedule.data_ready(OpId{2}, DeviceId{1}), to_picoseconds(4));
}

TEST(EarliestTaskFirst, ADeviceKeepsItselfFreeForAFavouriteChild) {
  // i ends on x at 1. Its favourite child j could start there at 3, when k's byte has come, on y only at 6. o could
  // start on x at 1: greedily it does, and j must wait. A device that is awake leaves o to y, where it starts at 2.
  const Problem problem = toy_problem("k:-/2 -> j:1; i:1/-:5B:1B -> j; i.1 -> o:10", kPair);
  const Grouping grouping = one_group_per_unit(problem);
  const Search search(problem, {.evaluations = 1});
  EXPECT_EQ(places(problem, schedule_earliest_first(search, grouping, {})), "k@y j@y i@x o@x");
  const std::vector<OpId> favourites{kNoOp, kNoOp, OpId{1}, kNoOp};
  EXPECT_EQ(places(problem, schedule_earliest_first(search, grouping, {.favourite_child = favourites})),
            "k@y j@x i@x o@y");
}

TEST(EarliestTaskFirst, AnAwakeDeviceTakesUrgentOps) {
  // As above, but o waits for nothing and is long there: it could start anywhere, so x takes it.
  const Problem problem = toy_problem("k:-/2 -> j:1; i:1/-:5B -> j; o:10", kPair);
  const Grouping grouping = one_group_per_unit(problem);
  const Search search(problem, {.evaluations = 1});
  const std::vector<OpId> favourites{kNoOp, kNoOp, OpId{1}, kNoOp};
  EXPECT_EQ(places(problem, schedule_earliest_first(search, grouping, {.favourite_child = favourites})),
            "k@y j@y i@x o@x");
}

}  // namespace
}  // namespace berth

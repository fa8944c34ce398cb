// SPDX-License-Identifier: Apache-2.0
// Training as a service: what a request leaves in its folder, what the answer says, and what a caller hears.
#include "learn/run/train.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "files/files.h"
#include "format/plan_file.h"
#include "learn/distributed/thread_communicator.h"
#include "learn/run/trained_policy.h"
#include "learn/run/trained_run.h"
#include "runs/fingerprint.h"
#include "services/listening_caller.h"
#include "services/plan/place.h"
#include "sim/simulator.h"

namespace berth::learn {
namespace {

namespace fs = std::filesystem;

// A folder that is not there yet.
std::string new_folder(const std::string& name) {
  const fs::path path = fs::path(testing::TempDir()) / ("berth_train_" + name);
  fs::remove_all(path);
  return path.string();
}

TrainRequest small_request(const std::string& name, std::uint64_t updates) {
  NewRun run{.graphs = {"zoo:rnnlm,unroll=3"}, .machines = {"k40x2"}};
  run.options = {"groups=4", "hidden=8", "placements=2"};
  run.limits.updates = updates;
  return {.folder = new_folder(name), .begins = run};
}

TrainRequest to_go_on(const std::string& folder, std::uint64_t updates) {
  TrainRequest request{.folder = folder};
  request.changes.limits.updates = updates;
  return request;
}

TrainAnswer trained(const TrainRequest& request, Caller& caller) {
  Result<TrainAnswer> answer = train(request, caller);
  EXPECT_TRUE(answer) << answer.error().message;
  return *std::move(answer);
}

std::string error_of(const TrainRequest& request) {
  ListeningCaller caller;
  const Result<TrainAnswer> answer = train(request, caller);
  return answer ? "" : answer.error().message;
}

std::size_t lines_of(const std::string& path) {
  const std::string text = read_file(path).value();
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

TEST(Train, LeavesARunAndAnswersWithItsBestPlan) {
  ListeningCaller caller;
  const TrainRequest request = small_request("begun", 3);
  const TrainAnswer answer = trained(request, caller);
  EXPECT_EQ(answer.updates, 3U);
  EXPECT_EQ(answer.updates_before, 0U);
  EXPECT_EQ(answer.processes, 1);
  EXPECT_FALSE(answer.interrupted);
  EXPECT_EQ(caller.begun, 1);
  ASSERT_EQ(answer.lessons.size(), 1U);
  const auto& [loaded, outcome, single, plan_path] = answer.lessons.front();
  EXPECT_FALSE(verify(loaded->problem, outcome.plan));
  EXPECT_EQ(outcome.score.step_time, simulate(loaded->problem, outcome.plan).step_time);
  EXPECT_EQ(outcome.evaluations, 3 * answer.plans_per_update);
  ASSERT_TRUE(single);
  EXPECT_EQ(single->planner, "single");
  const Problem& problem = loaded->problem;
  EXPECT_EQ(load_plan_file(plan_path, problem.graph(), problem.machine()).value(), outcome.plan);
  EXPECT_EQ(lines_of(request.folder + "/metrics.jsonl"), 3U);
  EXPECT_EQ(lesson_of(load_trained(request.folder)->config, problem), 0U);
}

TEST(Train, ARunThatGoesOnEndsWhereOneThatWasNotStoppedDoes) {
  ListeningCaller caller;
  const TrainAnswer whole = trained(small_request("whole", 4), caller);
  const TrainRequest first = small_request("stopped", 2);
  trained(first, caller);
  const TrainAnswer second = trained(to_go_on(first.folder, 4), caller);
  EXPECT_EQ(second.updates_before, 2U);
  EXPECT_EQ(second.updates, 4U);
  EXPECT_EQ(second.lessons.front().outcome.plan, whole.lessons.front().outcome.plan);
  EXPECT_EQ(load_trained(first.folder)->checkpoint.state.values, load_trained(whole.folder)->checkpoint.state.values);
  EXPECT_EQ(lines_of(first.folder + "/metrics.jsonl"), 4U);
}

TEST(Train, AnswersWithoutAnUpdateWhereNothingIsLeftToDo) {
  ListeningCaller caller;
  const TrainRequest request = small_request("done", 2);
  trained(request, caller);
  const TrainAnswer again = trained(to_go_on(request.folder, 2), caller);
  EXPECT_EQ(again.updates, again.updates_before);
  EXPECT_FALSE(again.is_time_over);
}

TEST(Train, ACallerWhoStopsGetsWhatIsThere) {
  ListeningCaller caller;
  caller.stop = true;
  const TrainRequest request = small_request("interrupted", 1000);
  const TrainAnswer answer = trained(request, caller);
  EXPECT_TRUE(answer.interrupted);
  EXPECT_LT(answer.updates, 1000U);
  EXPECT_TRUE(fs::exists(request.folder + "/checkpoint"));
}

TEST(Train, RefusesWhatIsNoRun) {
  const TrainRequest request = small_request("taken", 1);
  EXPECT_NE(error_of(to_go_on(request.folder, 1)).find("there is no run"), std::string::npos);
  EXPECT_EQ(error_of(request), "");
  EXPECT_NE(error_of(request).find("there is a run already"), std::string::npos);
  TrainRequest endless = small_request("endless", 0);
  EXPECT_NE(error_of(endless).find("needs an end"), std::string::npos);
  EXPECT_FALSE(fs::exists(endless.folder)) << "nothing is left of a request that was refused";
  TrainRequest misspelled = small_request("misspelled", 1);
  misspelled.begins->options = {"grups=4"};
  EXPECT_NE(error_of(misspelled).find("groups"), std::string::npos);
}

TEST(Train, SeveralProcessesAgreeAndRankZeroAnswers) {
  const TrainRequest request = small_request("ranks", 2);
  std::array<std::optional<TrainAnswer>, 2> answers;
  std::array<ListeningCaller, 2> callers;
  run_ranks(2, 60.0, [&](Communicator& ranks) {
    const auto rank = static_cast<std::size_t>(ranks.rank());
    TrainRun run(request, ranks, callers[rank]);
    Result<std::optional<TrainAnswer>> answer = run.run();
    EXPECT_TRUE(answer) << answer.error().message;
    EXPECT_FALSE(run.is_broken());
    if (answer) answers[rank] = *std::move(answer);
  });
  ASSERT_TRUE(answers[0]);
  EXPECT_FALSE(answers[1]);
  EXPECT_EQ(answers[0]->processes, 2);
  EXPECT_EQ(answers[0]->lessons.front().outcome.evaluations, 2 * answers[0]->plans_per_update);
  EXPECT_EQ(callers[1].begun, 1) << "also there Ctrl-C means to stop";
}

TEST(Train, AnErrorOfAnyRankIsToldByRankZeroAlone) {
  TrainRequest good = small_request("one_is_wrong", 2), bad = good;
  bad.begins->machines = {"k41x2"};
  std::array<std::string, 2> errors;
  ListeningCaller caller;
  run_ranks(2, 60.0, [&](Communicator& ranks) {
    const Result<std::optional<TrainAnswer>> answer = TrainRun(ranks.is_root() ? good : bad, ranks, caller).run();
    ASSERT_FALSE(answer);
    errors[static_cast<std::size_t>(ranks.rank())] = answer.error().message;
  });
  EXPECT_TRUE(errors[0].starts_with("rank 1: no machine named 'k41x2'")) << errors[0];
  EXPECT_EQ(errors[1], "");
}

TEST(TrainedPolicy, PlacesItsOwnProblemAtLeastAsWellAsItsRunDid) {
  ListeningCaller caller;
  const TrainAnswer answer = trained(small_request("policy", 3), caller);
  PlaceRequest request{.problem = {.graph = "zoo:rnnlm,unroll=3", .machine = "k40x2"}, .budget = {.evaluations = 20}};
  request.planner = choose_trained({.run = answer.folder}).value();
  const Result<PlaceAnswer> placed = place(request, caller);
  ASSERT_TRUE(placed) << placed.error().message;
  EXPECT_EQ(placed->outcome.planner, "hierarchical");
  EXPECT_LE(placed->outcome.score.step_time, answer.lessons.front().outcome.score.step_time);
  request.problem.machine = "k40x4";
  const Result<PlaceAnswer> elsewhere = place(request, caller);
  ASSERT_FALSE(elsewhere);
  EXPECT_NE(elsewhere.error().message.find("trained for another machine (k40x2)"), std::string::npos);
}

}  // namespace
}  // namespace berth::learn

// SPDX-License-Identifier: Apache-2.0
// Checkpoints that somebody made: their checksum is right, and what they hold is not.
#include "runs/check_state.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "runs/checkpoint.h"
#include "sim/simulator.h"
#include "support/toy.h"

namespace berth::learn {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr float kInfinite = std::numeric_limits<float>::infinity();

class CraftedCheckpoint : public ::testing::Test {
 protected:
  CraftedCheckpoint() : problem_(toy_problem("a:2 -> b:3 -> c:2", "device p; device q; link p q latency=5")) {
    fresh_.layout = {{"bias", {1}}, {"weight", {2, 1}}};
    fresh_.values = {0.0F, 0.0F, 0.0F};
    fresh_.adam = {0, {0.0F, 0.0F, 0.0F}, {0.0F, 0.0F, 0.0F}};
    fresh_.lessons.resize(1);
    good_ = {"this run", 2.5, fresh_};
    TrainState& state = good_.state;
    state.updates = 3, state.evaluations = 12, state.adam.steps = 3;
    state.values = {1.0F, 2.0F, 3.0F};
    LessonState& lesson = state.lessons[0];
    lesson.baseline = -1.0, lesson.deviation = 0.5;
    const Plan apart{{DeviceId{0}, DeviceId{1}, DeviceId{0}}, {}, {}}, together{std::vector(3, DeviceId{0}), {}, {}};
    lesson.best = {apart, simulate(problem_, apart)};
    lesson.ahead = {together, simulate(problem_, together)};
  }

  // What is said about the checkpoint with this change in it; empty if it is taken.
  std::string error_after(const std::function<void(Checkpoint&)>& change, int epochs = 1) {
    Checkpoint crafted = good_;
    change(crafted);
    const auto read = parse_checkpoint(checkpoint_bytes(crafted), "this run");
    if (!read) return read.error().message;
    const Problem* const problems[] = {&problem_};
    const Status status = check_state(read->state, fresh_, problems, epochs);
    return status ? "" : status.error().message;
  }
  void expect_refused(std::string_view part, const std::function<void(Checkpoint&)>& change) {
    const std::string error = error_after(change);
    EXPECT_NE(error.find(part), std::string::npos) << error;
    EXPECT_EQ(error.find('\n'), std::string::npos);
  }

  Problem problem_;
  TrainState fresh_;
  Checkpoint good_;
};

TEST_F(CraftedCheckpoint, IsTakenAsItIs) {
  EXPECT_EQ(error_after([](Checkpoint&) {}), "");
  EXPECT_EQ(error_after([](Checkpoint& crafted) { crafted.state.lessons[0].ahead.reset(); }), "");
  EXPECT_EQ(error_after([](Checkpoint& crafted) { crafted.state.adam.steps = 6; }, 2), "");
}

TEST_F(CraftedCheckpoint, WithAPlanOfAnotherProblemIsRefused) {
  const auto with = [](const std::function<void(Plan&)>& change) {
    return [=](Checkpoint& crafted) { change(crafted.state.lessons[0].best->plan); };
  };
  expect_refused("places 2 ops, the graph has 3", with([](Plan& plan) { plan.device_of.pop_back(); }));
  expect_refused("places 4 ops, the graph has 3", with([](Plan& plan) { plan.device_of.emplace_back(); }));
  expect_refused("places 0 ops", with([](Plan& plan) { plan.device_of.clear(); }));
  expect_refused("'b' is on no device", with([](Plan& plan) { plan.device_of[1] = DeviceId{2}; }));
  expect_refused("'b' is on no device", with([](Plan& plan) { plan.device_of[1] = kNoDevice; }));
  expect_refused("1 priorities for 3 ops", with([](Plan& plan) { plan.priority = {1.0}; }));
  expect_refused("not finite", with([](Plan& plan) { plan.priority = {0.0, kNan, 0.0}; }));
  expect_refused("its best plan is none", with([](Plan& plan) { plan.fusions = {{OpId{0}, OpId{7}}}; }));
  expect_refused("its best plan is none", with([](Plan& plan) { plan.fusions = {{OpId{0}}}; }));
  expect_refused("places 1 ops", [](Checkpoint& crafted) { crafted.state.lessons[0].ahead->plan.device_of.resize(1); });
}

TEST_F(CraftedCheckpoint, WithAnotherScoreIsRefused) {
  const auto with = [](const std::function<void(Score&)>& change) {
    return [=](Checkpoint& crafted) {
      crafted.state.lessons[0].ahead.reset();
      change(crafted.state.lessons[0].best->score);
    };
  };
  const std::string part = "the score of its best plan";
  expect_refused(part, with([](Score& score) { score.step_time = 1; }));
  expect_refused(part, with([](Score& score) { score.step_time = -1; }));
  expect_refused(part, with([](Score& score) { score.devices.clear(); }));
  expect_refused(part, with([](Score& score) { score.queues.resize(99); }));
  expect_refused("lessons makes no sense", with([](Score& score) { score.feasible = false; }));
  expect_refused("lessons makes no sense", with([](Score& score) { score.overflow.emplace(); }));
  expect_refused("lessons makes no sense", [](Checkpoint& crafted) {  // what is ahead is better
    std::swap(crafted.state.lessons[0].best, crafted.state.lessons[0].ahead);
  });
}

TEST_F(CraftedCheckpoint, WithAnotherPolicyIsRefused) {
  const auto with = [](const std::function<void(TrainState&)>& change) {
    return [=](Checkpoint& crafted) { change(crafted.state); };
  };
  expect_refused("has \"weight\" 1 x 2 where that of the run has \"weight\" 2 x 1", with([](TrainState& state) {
                   state.layout[1].shape = {1, 2};
                 }));
  expect_refused("has \"gain\" 1 where", with([](TrainState& state) { state.layout[0].name = "gain"; }));
  expect_refused("no more tensors", with([](TrainState& state) {
                   state.layout = {{"bias", {1}}, {"weight", {2, 1}}, {"none", {0}}};
                 }));
  expect_refused("the policy makes no sense", with([](TrainState& state) { state.layout[1].shape = {2, 2}; }));
  expect_refused("the policy makes no sense", with([](TrainState& state) { state.layout[1].shape = {-2, -1}; }));
  expect_refused("the policy makes no sense",
                 with([](TrainState& state) { state.layout[1].shape.assign(9, std::int64_t{1} << 62); }));
  expect_refused("has 4 numbers and that of the run 3", with([](TrainState& state) {
                   state.layout[1].shape = {3, 1};
                   for (auto* numbers : {&state.values, &state.adam.mean, &state.adam.square}) numbers->resize(4);
                 }));
  expect_refused("the policy makes no sense", with([](TrainState& state) { state.adam.mean.resize(2); }));
  expect_refused("no training leads to", with([](TrainState& state) { state.values[1] = kInfinite; }));
  expect_refused("no training leads to", with([](TrainState& state) { state.adam.mean[0] = -kInfinite; }));
  expect_refused("no training leads to", with([](TrainState& state) { state.adam.square[2] = -1.0F; }));
}

TEST_F(CraftedCheckpoint, WithCountsThatDoNotAgreeIsRefused) {
  const auto with = [](const std::function<void(Checkpoint&)>& change) { return change; };
  expect_refused("3 updates and 2 steps", with([](Checkpoint& crafted) { crafted.state.adam.steps = 2; }));
  expect_refused("3 updates and 4 steps", with([](Checkpoint& crafted) { crafted.state.adam.steps = 4; }));
  expect_refused("counts of updates", with([](Checkpoint& crafted) { crafted.state.updates = 0; }));
  expect_refused("counts of updates", with([](Checkpoint& crafted) { crafted.state.evaluations = ~std::uint64_t{0}; }));
  expect_refused("counts of updates", with([](Checkpoint& crafted) { crafted.elapsed_s = kNan; }));
  expect_refused("counts of updates", with([](Checkpoint& crafted) { crafted.elapsed_s = -1.0; }));
  expect_refused("lessons makes no sense", with([](Checkpoint& crafted) { crafted.state.lessons[0].baseline = kNan; }));
  expect_refused("lessons makes no sense",
                 with([](Checkpoint& crafted) { crafted.state.lessons[0].deviation = -1.0; }));
  expect_refused("learned from 0 problems", with([](Checkpoint& crafted) { crafted.state.lessons.clear(); }));
  expect_refused("learned from 2 problems", with([](Checkpoint& crafted) { crafted.state.lessons.resize(2); }));
}

}  // namespace
}  // namespace berth::learn

// SPDX-License-Identifier: Apache-2.0
// A run that was stopped in the midst of its updates, saved and taken up again by another process, has the metrics and
// the best plan of one that was not, with every learned planner.
#include <gtest/gtest.h>

#include "base/text.h"
#include "learn/planners.h"
#include "plan/toys.h"
#include "runs/check_state.h"
#include "runs/checkpoint.h"
#include "runs/metrics.h"

namespace berth::learn {
namespace {

struct ResumeCase {
  std::string planner, preset, options;  // options in words
};

std::string name_of(const testing::TestParamInfo<ResumeCase>& info) {
  return fmt::format("{}_{}_{}", info.param.planner, info.param.preset, info.index);
}

class Resumed : public testing::TestWithParam<ResumeCase> {
 protected:
  static constexpr std::uint64_t kUpdates = 12;

  Resumed() : problem_(heft_example()), alone_(make_alone()) {
    options_ = preset(GetParam().planner, GetParam().preset).value();
    for (const std::string_view option : split(GetParam().options, ' ')) {
      const Status set = set_option(options_, option);
      EXPECT_TRUE(set) << set.error().message;
    }
  }

  std::unique_ptr<Learner> make() {
    std::vector<std::unique_ptr<Environment>> environments;
    environments.push_back(make_simulated_environment(problem_, 1));
    return make_learner(std::move(environments), options_, 7, "cpu", *alone_).value();
  }

  // Makes an update, or stops it after `most` plans; its line of metrics without the times it took.
  static std::string line_of(Learner& learner, int most) {
    int plans = 0;
    learner.set_on_plan([&](std::size_t, const Plan&, const Score&) { ++plans; });
    learner.set_on_illegal([&] { ++plans; });
    learner.set_should_stop([&] { return most >= 0 && plans >= most; });
    std::optional<UpdateFacts> facts = learner.update().value();
    if (!facts) return "";
    facts->sample_s = facts->prepare_s = facts->wait_s = facts->gradient_s = facts->step_s = 0.0;
    return metrics_line(*facts, 0.0);
  }

  // The learner of another process, from the checkpoint of this one.
  std::unique_ptr<Learner> resumed(const Learner& learner) {
    const std::string bytes = checkpoint_bytes({"run", 1.0, learner.state()});
    Checkpoint read = parse_checkpoint(bytes, "run").value();
    std::unique_ptr<Learner> other = make();
    const Problem* const problems[] = {&problem_};
    const Status fits = check_state(read.state, other->state(), problems, training_of(options_).epochs);
    EXPECT_TRUE(fits) << fits.error().message;
    other->restore(std::move(read.state));
    return other;
  }

  Problem problem_;
  std::unique_ptr<Communicator> alone_;
  Options options_;
};

TEST_P(Resumed, HasTheNumbersOfOneThatWasNeverStopped) {
  const std::unique_ptr<Learner> whole = make();
  std::unique_ptr<Learner> learner = make();
  int stopped = 0;
  for (std::uint64_t update = 0; update < kUpdates; ++update) {
    const std::string expected = line_of(*whole, -1);
    const auto plans = static_cast<int>(learner->plans_per_update());
    for (const int most : {1, plans / 2, plans - 1}) {
      const std::string line = line_of(*learner, most);
      ASSERT_EQ(line, "") << "stopped after " << most << " of " << plans << " plans";
      stopped += 1;
      learner = resumed(*learner);
    }
    ASSERT_EQ(line_of(*learner, -1), expected);
    learner = resumed(*learner);
  }
  EXPECT_EQ(stopped, 3 * kUpdates);
  EXPECT_EQ(checkpoint_bytes({"", 0.0, learner->state()}), checkpoint_bytes({"", 0.0, whole->state()}));
}

// What is found on the way of an update that is stopped is not lost.
TEST_P(Resumed, KeepsThePlanOfAnUpdateThatWasStopped) {
  const std::unique_ptr<Learner> learner = make();
  learner->set_must_find(true);
  EXPECT_EQ(line_of(*learner, 0), "");
  const ScoredPlan* const found = learner->lessons()[0].best_known();
  ASSERT_NE(found, nullptr);
  EXPECT_FALSE(verify(problem_, found->plan));
  EXPECT_EQ(resumed(*learner)->lessons()[0].ahead, *found);
  EXPECT_EQ(learner->updates(), 0U);
  EXPECT_EQ(learner->evaluations(), 0U);
}

INSTANTIATE_TEST_SUITE_P(
    Planners, Resumed,
    testing::Values(ResumeCase{"hierarchical", "default", "groups=4 hidden=8"},
                    ResumeCase{"hierarchical", "default",
                               "groups=4 hidden=8 noise=0.3 noise-updates=6 baseline=moving env-noise=0.1"},
                    ResumeCase{"hierarchical", "paper", "groups=4 hidden=8 noise-updates=6"},
                    ResumeCase{"hierarchical", "google", "groups=4 hidden=8 placements=3"},
                    ResumeCase{"colocrl", "default", "hidden=8"}, ResumeCase{"colocrl", "paper", "hidden=8"},
                    ResumeCase{"placeto", "default", "groups=5"}, ResumeCase{"placeto", "paper", "groups=5"},
                    ResumeCase{"placeto", "default", "groups=5 first-placement=best"},
                    ResumeCase{"placeto", "default", "groups=5 first-placement=turns epochs=2 ratio-clip=0.2"},
                    ResumeCase{"go", "default", "hidden=8"}, ResumeCase{"go", "paper", "hidden=8 heads=2"},
                    ResumeCase{"hsdag", "default", "hidden=8 placements=6"},
                    ResumeCase{"hsdag", "paper", "hidden=8 placements=6"},
                    ResumeCase{"hsdag", "released", "hidden=8 placements=6"},
                    ResumeCase{"hsdag", "default", "hidden=8 placements=6 near-best=0.5 freeze-after=5"},
                    ResumeCase{"hsdag", "default", "hidden=8 placements=6 near-best=1 dropout=0.3"}),
    name_of);

}  // namespace
}  // namespace berth::learn

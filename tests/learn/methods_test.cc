// SPDX-License-Identifier: Apache-2.0
// The rows of methods: what is known without libtorch and what takes it belong together.
#include "learn/methods.h"

#include <gtest/gtest.h>

#include "plan/toys.h"

namespace berth::learn {
namespace {

TEST(LearnedMethods, AreThoseThatAreKnownWithoutLibtorch) {
  ASSERT_EQ(learned_methods().size(), methods().size());
  for (std::size_t i = 0; i < methods().size(); ++i) {
    EXPECT_EQ(learned_methods()[i].info.name, methods()[i].name);
    EXPECT_EQ(&learned_method_of(methods()[i].plain), &learned_methods()[i]);
  }
}

Result<std::unique_ptr<Learner>> learner_for(const std::vector<const Problem*>& problems, const Options& options,
                                             Communicator& alone) {
  Environments environments;
  for (const Problem* problem : problems) environments.push_back(make_simulated_environment(*problem, 1));
  return make_learner(std::move(environments), options, 1, "cpu", alone);
}

TEST(LearnedMethods, LearnFromSeveralProblemsWhereTheySaySo) {
  const Problem problem = heft_example();
  const std::unique_ptr<Communicator> alone = make_alone();
  for (const MethodInfo& method : methods()) {
    SCOPED_TRACE(method.name);
    const auto learner = learner_for({&problem, &problem}, method.presets.front().options, *alone);
    EXPECT_EQ(learner.ok(), method.is_general());
    if (!learner) {
      EXPECT_TRUE(learner.error().message.ends_with("go and placeto learn from several"));
    }
  }
}

TEST(LearnedMethods, ThoseThatDrawWholePlansCanTrainAsynchronously) {
  const Problem problem = heft_example();
  const std::unique_ptr<Communicator> alone = make_alone();
  for (const MethodInfo& method : methods()) {
    SCOPED_TRACE(method.name);
    const auto learner = learner_for({&problem}, method.presets.front().options, *alone).value();
    EXPECT_EQ(learner->for_async() != nullptr, method.find("placements") != nullptr);
  }
}

}  // namespace
}  // namespace berth::learn

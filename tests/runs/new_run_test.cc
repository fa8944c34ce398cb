// SPDX-License-Identifier: Apache-2.0
#include "runs/new_run.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace berth::learn {
namespace {

NewRun small_run() {
  NewRun run{.graphs = {"zoo:rnnlm"}, .machines = {"k40x2"}};
  run.limits.updates = 3;
  return run;
}

std::vector<std::string> lesson_names(const NewRun& run) {
  std::vector<std::string> names;
  for (const LessonConfig& lesson : config_of(run).value().lessons) names.push_back(lesson.name());
  return names;
}

TEST(NewRun, EveryGraphOnEveryMachineButThoseThatNameTheirs) {
  NewRun run = small_run();
  run.graphs = {"zoo:rnnlm", "zoo:nmt-4@k40x4"};
  run.machines = {"k40x2", "p100x4"};
  EXPECT_EQ(lesson_names(run),
            (std::vector<std::string>{"zoo:rnnlm on k40x2", "zoo:rnnlm on p100x4", "zoo:nmt-4 on k40x4"}));
  run.machines = {};
  EXPECT_EQ(lesson_names(run), (std::vector<std::string>{"zoo:rnnlm", "zoo:nmt-4 on k40x4"}));
}

TEST(NewRun, FilesAreFoundAgainFromAnyFolder) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(testing::TempDir());
  std::ofstream("new_run@graph.json") << "{}";
  NewRun run = small_run();
  run.graphs = {"new_run@graph.json"};
  run.problem.costs = {"times.csv@gpu0"};
  run.problem.constraints = {"pins.toml"};
  const RunConfig config = config_of(run).value();
  const std::string here = std::filesystem::current_path().string();
  std::filesystem::current_path(before);
  EXPECT_EQ(config.lessons.front().graph, here + "/new_run@graph.json")
      << "the file is there, so @ is part of its name";
  EXPECT_EQ(config.lessons.front().machine, "k40x2") << "no file";
  EXPECT_EQ(config.problem.costs.front(), here + "/times.csv@gpu0");
  EXPECT_EQ(config.problem.constraints.front(), here + "/pins.toml");
}

TEST(NewRun, OptionsComeOnTopOfThePreset) {
  NewRun run = small_run();
  run.options = {"groups=7"};
  run.reward = "log-time";
  run.env_noise = 0.25;
  const RunConfig config = config_of(run).value();
  EXPECT_EQ(std::get<HierarchicalOptions>(config.options).groups, 7);
  EXPECT_EQ(training_of(config.options).env_noise, 0.25);
  EXPECT_EQ(training_of(config.options).reward.kind, reward_from_name("log-time"));
  run.reward = "gold";
  EXPECT_EQ(config_of(run).error().message, "--reward: 'gold' is none; there are: time, sqrt, log, inverse, log-time");
}

TEST(NewRun, WithoutAGraphOrAnEndThereIsNone) {
  NewRun endless = small_run();
  endless.limits = {};
  EXPECT_FALSE(config_of(endless));
  NewRun empty = small_run();
  empty.graphs = {};
  EXPECT_FALSE(config_of(empty));
}

TEST(RunChanges, ThatAreNotGivenChangeNothing) {
  RunConfig config = config_of(small_run()).value();
  const std::string before = write_config(config);
  apply({}, config);
  EXPECT_EQ(write_config(config), before);
  apply({.limits = {.evaluations = 50}, .threads = 3, .policy_device = "cuda", .tensorboard = true}, config);
  EXPECT_EQ(config.limits.updates, 0U) << "limits change together";
  EXPECT_EQ(config.limits.evaluations, 50U);
  EXPECT_EQ(config.threads, 3);
  EXPECT_EQ(config.policy_device, "cuda");
  EXPECT_TRUE(config.tensorboard);
}

}  // namespace
}  // namespace berth::learn

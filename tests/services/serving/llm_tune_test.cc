// SPDX-License-Identifier: Apache-2.0
// Plans that are run: a script stands for llama-bench.
#include "services/serving/llm_tune.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "files/files.h"
#include "services/listening_caller.h"
#include "services/serving/served_shares.h"
#include "serving/files/served_file.h"
#include "support/patience.h"

namespace berth {
namespace {

// Reads what it is asked for, then sets $pp and $tg and prints them as llama-bench does.
constexpr const char* kReadWords = R"(#!/bin/sh
ub=512
while [ $# -gt 0 ]; do
  case "$1" in -p) p=$2 ;; -n) n=$2 ;; -d) d=$2 ;; -ub) ub=$2 ;; esac
  shift
done
pp=100 tg=10
)";
constexpr const char* kPrintSpeeds = R"(
echo "[{\"n_prompt\": $p, \"n_gen\": 0, \"n_depth\": ${d%,*}, \"samples_ts\": [$pp]},"
echo " {\"n_prompt\": 0, \"n_gen\": $n, \"n_depth\": ${d#*,}, \"samples_ts\": [$tg]}]"
)";

class LlmTune : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // The script as a program; its own file stands for the model's too.
  TuneRequest request_for(const std::string& script) {
    const std::string path = folder_ / "llama bench";
    std::ofstream(path) << kReadWords << script << kPrintSpeeds;
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return {.command = "'" + path + "'", .model = path, .limit_s = kPatience, .learned = folder_ / "learned.toml"};
  }
  static LlmAnswer answer() {
    return answer_llm({.model = "llama-8b", .machine = "rtx4090-3060", .context = 4096, .what_if = false}).value();
  }
  std::string error_of(const TuneRequest& request) {
    LlmAnswer found = answer();
    const Status tuned = tune_llm(request, found, caller_);
    return tuned ? "no error" : tuned.error().message;
  }

  std::filesystem::path folder_;
  ListeningCaller caller_;
};

TEST_F(LlmTune, TheFastestOfThoseThatRanIsKept) {
  LlmAnswer found = answer();
  ASSERT_EQ(found.options.cache.prompt_batch, 512);
  const Status tuned = tune_llm(request_for("[ $ub = 1024 ] && pp=5000"), found, caller_);
  ASSERT_TRUE(tuned) << tuned.error().message;
  ASSERT_GT(found.tuned->plans.size(), 2U);
  EXPECT_LE(found.tuned->plans.size(), 4U);
  EXPECT_GT(found.tuned->kept, 0U);
  EXPECT_EQ(found.options.cache.prompt_batch, 1024);
  EXPECT_EQ(found.serving->options().cache.prompt_batch, 1024);
  const TunedPlan& kept = found.tuned->plans[found.tuned->kept];
  EXPECT_EQ(found.placement(), kept.judged.placement);
  EXPECT_DOUBLE_EQ(kept.prompt_s, 1024.0 / 5000.0);
  EXPECT_DOUBLE_EQ(kept.decode_s, 0.1);
  EXPECT_NE(kept.flags.find("-ub 1024"), std::string::npos) << kept.flags;
  for (std::size_t i = 1; i < found.tuned->plans.size(); ++i) {
    EXPECT_NE(found.tuned->plans[i].flags, found.tuned->plans[0].flags);
  }
  EXPECT_TRUE(caller_.notes.empty());
}

TEST_F(LlmTune, WhoFailsIsOneLineAndTheOthersGoOn) {
  LlmAnswer found = answer();
  const Status tuned =
      tune_llm(request_for("[ $ub = 512 ] && { echo 'CUDA out of memory' >&2; exit 3; }"), found, caller_);
  ASSERT_TRUE(tuned) << tuned.error().message;
  EXPECT_FALSE(found.tuned->plans[0].ran());
  EXPECT_EQ(found.tuned->plans[0].failure, "it ended with exit code 3: CUDA out of memory");
  EXPECT_TRUE(found.tuned->plans[found.tuned->kept].ran());
  ASSERT_FALSE(caller_.notes.empty());
  EXPECT_TRUE(caller_.notes[0].starts_with("note: a plan failed (-c 4096")) << caller_.notes[0];
  EXPECT_EQ(caller_.notes[0].find('\n'), std::string::npos);
}

TEST_F(LlmTune, NobodyRanIsAnError) {
  EXPECT_EQ(error_of(request_for("exit 7")), "--tune: no plan could be run: it ended with exit code 7");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "learned.toml"));
  EXPECT_EQ(error_of(request_for("echo nonsense; exit 0")),
            "--tune: no plan could be run: it printed no JSON list of tests (llama-bench -o json)");
  EXPECT_EQ(error_of(request_for("p=7")).find("--tune: no plan could be run: it printed no speed of a prompt of 512"),
            0U);
  TuneRequest hangs = request_for("sleep 100000");
  hangs.limit_s = 0.2;
  EXPECT_EQ(error_of(hangs), "--tune: no plan could be run: no end after 200 ms: stopped");
  EXPECT_GE(caller_.notes.size(), 4U * 2U) << "a note for each plan that failed";
}

TEST_F(LlmTune, CommandsAreWordsWithPlaceholders) {
  TuneRequest request = request_for("");
  request.command +=
      " -m {model} {flags} -p {prompt} -n {answer} -d {depths} ';' touch '" + (folder_ / "injected").string() + "'";
  LlmAnswer found = answer();
  const Status tuned = tune_llm(request, found, caller_);
  EXPECT_TRUE(tuned) << tuned.error().message;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "injected"));
}

TEST_F(LlmTune, WhatCannotBeRunIsRefused) {
  TuneRequest request = request_for("");
  request.command = "no-such-bench";
  EXPECT_EQ(
      error_of(request),
      "--tune: there is no program 'no-such-bench' in the folders of PATH; build llama.cpp's llama-bench, or name "
      "one: --tune-command /path/to/llama-bench");
  request.command = "'unclosed";
  EXPECT_NE(error_of(request).find("--tune-command: a quote (') is not closed"), std::string::npos);
  request.command = " ";
  EXPECT_EQ(error_of(request), "--tune-command: it is empty; write for example llama-bench");
  request = request_for("");
  request.model = "llama-8b";
  EXPECT_EQ(error_of(request), "--tune: 'llama-8b' is no file; llama-bench needs the model's own (.gguf)");
}

TEST_F(LlmTune, WhatWasLearnedIsWrittenAndUsed) {
  LlmAnswer found = answer();
  const TuneRequest request = request_for("tg=40");
  const double before = found.verdict().decode_s;
  ASSERT_GT(std::abs(std::log(before * 40.0)), 0.2) << "predicted as it is measured: this tests nothing";
  const Status tuned = tune_llm(request, found, caller_);
  ASSERT_TRUE(tuned) << tuned.error().message;
  const auto learned = read_served(read_file(request.learned).value(), "learned.toml", *found.machine);
  ASSERT_TRUE(learned) << learned.error().message;
  EXPECT_EQ(*learned, found.tuned->learned);
  const LlmAnswer again = answer_llm({.model = "llama-8b",
                                      .machine = "rtx4090-3060",
                                      .context = 4096,
                                      .learned = request.learned,
                                      .what_if = false})
                              .value();
  EXPECT_LT(std::abs(std::log(again.verdict().decode_s * 40.0)), 0.5 * std::abs(std::log(before * 40.0)));
}

TEST(ServedShares, ExplainWhatWasMeasured) {
  const LlmAnswer found =
      answer_llm({.model = "llama-8b", .machine = "rtx3060", .context = 4096, .what_if = false}).value();
  const llm::Verdict& verdict = found.verdict();
  const DeviceId gpu{1};
  const auto step = [&](llm::Phase phase, double predicted, double factor) {
    return ServedStep{found.serving.get(), &found.placement(), phase, predicted, 0.0, predicted * factor};
  };
  const std::vector<ServedStep> as_predicted{step(llm::Phase::kDecode, verdict.decode_s, 1.0)};
  EXPECT_EQ(fit_served_shares(*found.machine, as_predicted)[index(gpu)], ServedShares{});
  // A token is bound by memory, a prompt by arithmetic: each finds its share.
  const std::vector<ServedStep> slow_memory{step(llm::Phase::kDecode, verdict.decode_s, 1.5),
                                            step(llm::Phase::kPrefill, verdict.prompt_s, 1.0)};
  const ServedShares memory = fit_served_shares(*found.machine, slow_memory)[index(gpu)];
  EXPECT_NEAR(memory.memory, 1.0 / 1.5, 0.08);
  EXPECT_NEAR(memory.arithmetic, 1.0, 0.08);
  const std::vector<ServedStep> slow_arithmetic{step(llm::Phase::kDecode, verdict.decode_s, 1.0),
                                                step(llm::Phase::kPrefill, verdict.prompt_s, 1.5)};
  const ServedShares arithmetic = fit_served_shares(*found.machine, slow_arithmetic)[index(gpu)];
  EXPECT_NEAR(arithmetic.arithmetic, 1.0 / 1.5, 0.08);
  EXPECT_NEAR(arithmetic.memory, 1.0, 0.08);
}

}  // namespace
}  // namespace berth

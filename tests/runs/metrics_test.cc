// SPDX-License-Identifier: Apache-2.0
#include "runs/metrics.h"

#include <gtest/gtest.h>

#include "import/parts.h"

namespace berth::learn {
namespace {

UpdateFacts facts_of(std::uint64_t update) {
  UpdateFacts facts;
  facts.update = update;
  facts.evaluations = 8 * update;
  facts.mean_reward = -1.5;
  facts.plans = 8;
  return facts;
}

std::string lines_of(std::initializer_list<std::uint64_t> updates) {
  std::string lines;
  for (const std::uint64_t update : updates) lines += metrics_line(facts_of(update), static_cast<double>(update));
  return lines;
}

TEST(Metrics, OneLineHasEverything) {
  UpdateFacts facts;
  facts.update = 3, facts.evaluations = 24;
  facts.mean_reward = -1.5, facts.reward_deviation = 0.25, facts.baseline = -1.75;
  facts.mean_time_s = 2.25, facts.plans = 8, facts.fitting = 6;
  facts.gradient_norm = 0.5, facts.rate = 0.005, facts.noise = 0.1;
  facts.entropies = {.grouping = 4.0, .placing = 1.0, .most_grouping = 4.5, .most_placing = 1.25};
  facts.used_groups = 31.5, facts.best_s = 2.0;
  facts.sample_s = 0.5, facts.prepare_s = 0.25, facts.wait_s = 0.125, facts.gradient_s = 0.75, facts.step_s = 0.0625;
  EXPECT_EQ(
      metrics_line(facts, 7.5),
      "{\"update\": 3, \"evaluations\": 24, \"elapsed_s\": 7.5, \"mean_reward\": -1.5, \"reward_deviation\": 0.25, "
      "\"baseline\": -1.75, \"mean_time_s\": 2.25, \"plans\": 8, \"fitting\": 6, \"gradient_norm\": 0.5, "
      "\"rate\": 0.005, \"noise\": 0.1, \"grouping_entropy\": 4, \"most_grouping_entropy\": 4.5, "
      "\"placing_entropy\": 1, \"most_placing_entropy\": 1.25, \"used_groups\": 31.5, \"best_s\": 2, "
      "\"sample_s\": 0.5, \"prepare_s\": 0.25, \"wait_s\": 0.125, \"gradient_s\": 0.75, \"step_s\": 0.0625}\n");
  const std::string nothing_fits = metrics_line(facts_of(1), 0.0);
  EXPECT_NE(nothing_fits.find("\"mean_time_s\": null"), std::string::npos);
  EXPECT_NE(nothing_fits.find("\"best_s\": null"), std::string::npos);
}

TEST(MetricsFile, AppendsLines) {
  const TemporaryFolder folder;
  const std::string path = folder.file("metrics.jsonl");
  {
    auto file = MetricsFile::open(path, 0);
    ASSERT_TRUE(file) << file.error().message;
    MetricsFile moved = std::move(*file);
    ASSERT_TRUE(moved.add(facts_of(1), 1.0));
    EXPECT_EQ(read_bytes(path), lines_of({1})) << "a line is there at once";
    ASSERT_TRUE(moved.add(facts_of(2), 2.0));
  }
  EXPECT_EQ(read_bytes(path), lines_of({1, 2}));
}

// What a run that was killed may leave behind, and what a run that goes on from update 2 makes of it.
TEST(MetricsFile, DropsWhatTheCheckpointDoesNotKnow) {
  const TemporaryFolder folder;
  const std::string path = folder.file("metrics.jsonl");
  const std::string half = lines_of({3}).substr(0, 20), two = lines_of({1, 2});
  const std::pair<std::string, std::string> cases[] = {
      {"", ""},
      {two, two},
      {lines_of({1, 2, 3, 4}), two},
      {two + half, two},
      {lines_of({1, 2, 3}) + half, two},
      {two.substr(0, two.size() - 1), lines_of({1})},  // only the line break is missing
      {half, ""},
      {lines_of({3}), ""},
      {lines_of({3}) + "no line of ours\n", ""},
      {lines_of({1}), lines_of({1})},  // lines were lost: not ours to invent
  };
  for (const auto& [before, after] : cases) {
    write_bytes(path, before);
    const auto kept = read_metrics(path, {2, 16});
    ASSERT_TRUE(kept) << kept.error().message;
    EXPECT_EQ(read_bytes(path), before) << "reading changes nothing";
    auto file = MetricsFile::open(path, *kept);
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(read_bytes(path), after) << before;
    ASSERT_TRUE(file->add(facts_of(3), 3.0));
    EXPECT_EQ(read_bytes(path), after + lines_of({3}));
  }
}

TEST(MetricsFile, RefusesFilesOfSomethingElseAndLeavesThemAlone) {
  const TemporaryFolder folder;
  const std::string path = folder.file("metrics.jsonl");
  for (const std::string& text : {std::string("dear diary\n"), lines_of({1}) + "{\"update\": x}\n", std::string("\n"),
                                  std::string("{\"update\": 1}\n"), std::string("{\"update\": 5\n")}) {
    write_bytes(path, text);
    const auto kept = read_metrics(path, {9, 72});
    ASSERT_FALSE(kept) << text;
    EXPECT_TRUE(kept.error().message.starts_with(path + ": line ")) << kept.error().message;
    EXPECT_EQ(read_bytes(path), text);
  }
  EXPECT_EQ(read_metrics(folder.file("none"), {9, 72}).value(), 0U);
  EXPECT_TRUE(MetricsFile::open(folder.file("no/such/folder"), 0).error().message.starts_with(folder.file("no/")));
  EXPECT_FALSE(MetricsFile::open(folder.file(""), 0));
}

// The lines are of the run that the checkpoint is of, or they are refused.
TEST(MetricsToKeep, AgreeWithTheCheckpoint) {
  const auto error_of = [](const std::string& text, const Progress& done) {
    const auto kept = metrics_to_keep(text, done);
    return kept ? "" : kept.error().message;
  };
  const std::string behind = "; move the file away to go on without it";
  EXPECT_EQ(error_of(lines_of({1, 2, 3}), {3, 24}), "");
  EXPECT_EQ(error_of(lines_of({4, 5, 6}), {6, 48}), "") << "those before were moved away";
  EXPECT_EQ(error_of(lines_of({1, 3}), {3, 24}), "line 2 is update 3 behind update 1" + behind);
  EXPECT_EQ(error_of(lines_of({1, 2, 2}), {3, 24}), "line 3 is update 2 behind update 2" + behind);
  EXPECT_EQ(error_of(lines_of({1, 2}), {2, 17}),
            "line 2 counts 16 plans, the checkpoint has 17 after update 2" + behind);
  EXPECT_EQ(error_of(lines_of({1, 2}), {3, 12}),
            "line 2 counts 16 plans, the checkpoint has 12 after update 3" + behind);
  for (const std::string line :
       {R"({"update": 1, "evaluations": 8, "best_s": "x"})", R"({"update": 1, "evaluations": -8})",
        R"({"update": 1, "evaluations": 8, "best_s": 1e999})", R"({"update": 1, "rate": 1})",
        R"({"update": 1, "evaluations": 8, "a": {}})", R"({"update": 0, "evaluations": 0})",
        R"({"update": 1, "evaluations": 8, "evaluations": 8})"}) {
    EXPECT_EQ(error_of(line + "\n", {1, 8}), "line 1 is no metrics of an update" + behind) << line;
  }
}

}  // namespace
}  // namespace berth::learn

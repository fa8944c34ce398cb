// SPDX-License-Identifier: Apache-2.0
// Tables of runs made up here, so that means and medians can be checked on paper.
#include "services/bench/leaderboard.h"

#include <gtest/gtest.h>

#include "services/bench/leaderboard_files.h"
#include "services/json/bench_json.h"

namespace berth {
namespace {

constexpr Picoseconds kSecond = 1'000'000'000'000;

// Runs of so many seconds; 0: out of memory.
BenchCell cell(std::vector<double> seconds) {
  BenchCell cell;
  for (const double one : seconds) {
    BenchRun run{.seed = cell.runs.size() + 1, .state = one > 0 ? RunState::kFits : RunState::kOutOfMemory};
    run.step_time = to_picoseconds(one);
    run.note = one > 0 ? "" : "gpu0 <is> full";
    run.evaluations = 100;
    run.search_s = 0.5;
    cell.runs.push_back(run);
  }
  return cell;
}

BenchRow row(const char* name, double bound_s, std::optional<double> optimum_s, std::vector<BenchCell> cells) {
  BenchRow row;
  row.problem = {.name = name, .graph = "zoo:x", .machine = "m", .setting = "", .why = "why"};
  if (optimum_s) row.problem.optimum = to_picoseconds(*optimum_s);
  row.ops = 10;
  row.lower_bound = to_picoseconds(bound_s);
  row.cells = std::move(cells);
  return row;
}

// a: 1.2 and 8 (twice and twice the known), b: 0.6 (optimal) and nothing that fits.
BenchAnswer two_rows() {
  BenchAnswer answer;
  answer.suite = "toy/1";
  answer.budget.evaluations = 100;
  answer.seeds = 3;
  answer.contestants = {"b", "a"};
  answer.rows = {row("first", 0.5, 0.6, {cell({0.7, 0.6, 0.6}), cell({1.0, 1.2, 1.4})}),
                 row("second", 4.0, std::nullopt, {cell({0, 5.0, 0}), cell({8.0, 0, 8.0})})};
  answer.runs = answer.runs_done = 12;
  return answer;
}

TEST(BenchCell, RunsWithoutATimeCountAsLongest) {
  EXPECT_EQ(cell({3, 1, 2}).median(), 2 * kSecond);
  EXPECT_EQ(cell({3, 1}).median(), 3 * kSecond);  // of two in the middle the longer
  EXPECT_EQ(cell({0, 1, 2}).median(), 2 * kSecond);
  EXPECT_FALSE(cell({0, 1, 0}).median());
  EXPECT_EQ(cell({0, 1, 0}).fitting(), 1U);
  EXPECT_EQ(cell({3, 0, 2}).least(), 2 * kSecond);
  EXPECT_EQ(cell({3, 0, 2}).most(), 3 * kSecond);
}

TEST(Leaderboard, WhoHasMoreProblemsStandsFirst) {
  const std::vector<Standing> order = standings(two_rows());
  ASSERT_EQ(order.size(), 2U);
  const Standing &a = order[0], &b = order[1];
  EXPECT_EQ(a.contestant, 1U);
  EXPECT_EQ(a.has, 2U);
  EXPECT_DOUBLE_EQ(a.to_known, 2.0);            // sqrt(1.2/0.6 * 8/4)
  EXPECT_DOUBLE_EQ(a.to_best, std::sqrt(2.0));  // sqrt(1.2/0.6 * 8/8)
  EXPECT_EQ(a.worst, 0U);
  EXPECT_DOUBLE_EQ(a.worst_to_best, 2.0);
  EXPECT_EQ(a.best_on, 1U);
  EXPECT_EQ(a.failed_runs, 1U);
  EXPECT_EQ(b.has, 1U);
  EXPECT_EQ(b.lacks, 1U);
  EXPECT_DOUBLE_EQ(b.to_known, 1.0);
  EXPECT_EQ(b.optimal_on, 1U);
  EXPECT_EQ(b.optima, 1U);
  EXPECT_EQ(b.failed_runs, 2U);
  EXPECT_EQ(b.evaluations, 100U);
}

TEST(Leaderboard, ProblemsThatNotAllHaveRunAreInNoMean) {
  BenchAnswer answer = two_rows();
  answer.rows[1].cells[0].runs[2].state = RunState::kInterrupted;
  answer.runs_done = 11;
  for (const Standing& standing : standings(answer)) EXPECT_EQ(standing.has + standing.lacks, 1U);
  EXPECT_TRUE(headline(answer).ends_with("seeds 1 to 3, interrupted"));
  EXPECT_EQ(remarks(answer).front(),
            "interrupted: 11 of 12 runs are done; the means are over the 1 of 2 problems that all have run");
}

TEST(Leaderboard, CellsSayMedianRangeGapAndFailures) {
  const BenchAnswer answer = two_rows();
  const CellWords a = words_about(answer.rows[1], 1), b = words_about(answer.rows[0], 0);
  EXPECT_EQ(a.time, "8.00 s");
  EXPECT_EQ(a.gap, "+100 %");
  EXPECT_EQ(a.failures, "1 OOM");
  EXPECT_EQ(b.time, "600 ms [600-700]");
  EXPECT_EQ(b.gap, "optimal");
  EXPECT_EQ(words_about(answer.rows[0], 1).time, "1.20 s [1.00-1.40]");
  EXPECT_EQ(words_about(answer.rows[1], 0).failures, "2 OOM");
  EXPECT_EQ(words_about(answer.rows[1], 0).time, "");
  EXPECT_EQ(headline(answer), "toy/1: 2 problems, 100 evaluations a run, seeds 1 to 3");
  const TextTable table = problems_table(answer);
  EXPECT_EQ(table.names, (std::vector<std::string>{"problem", ">ops", ">known", ">a", ">b"}));
  EXPECT_EQ(table.lines[1].back(), "2 OOM");
}

TEST(Leaderboard, CsvHasALineForEveryRun) {
  const std::string csv = leaderboard_csv(two_rows());
  EXPECT_EQ(std::ranges::count(csv, '\n'), 13);
  EXPECT_NE(csv.find("toy/1,second,a,2,OOM,,4,,100,0.5,,gpu0 <is> full\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find("toy/1,first,b,1,fits,0.7,0.5,0.6,100,0.5,,\n"), std::string::npos) << csv;
}

TEST(Leaderboard, ThePageLoadsNothingAndQuotesEverything) {
  const std::string page = leaderboard_html(two_rows());
  EXPECT_NE(page.find("gpu0 &lt;is&gt; full"), std::string::npos);
  for (const char* word : {"<script", "http", "<is>", "url("}) EXPECT_EQ(page.find(word), std::string::npos) << word;
}

TEST(Leaderboard, JsonHasWhatTheTableHas) {
  const std::string json = bench_json(two_rows());
  for (const char* part : {"\"format\": \"berth-bench/1\"", "\"to_known\": 2,", "\"median_s\": 1.2",
                           "\"state\": \"OOM\"", "\"interrupted\": false", "\"budget_s\": null"}) {
    EXPECT_NE(json.find(part), std::string::npos) << part << " in " << json;
  }
}

}  // namespace
}  // namespace berth

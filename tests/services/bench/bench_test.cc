// SPDX-License-Identifier: Apache-2.0
#include "services/bench/bench.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "services/bench/dataset.h"
#include "services/listening_caller.h"
#include "services/plan/plan_files.h"
#include "services/small_problem.h"
#include "sim/simulator.h"

namespace berth {
namespace {

Contestant planner(const std::string& name) { return {.name = name, .planner = chosen(*find_classical_planner(name))}; }

// Two small rows, one of them too large for a GPU alone.
BenchRequest small_bench(std::vector<Contestant> contestants) {
  Suite suite = find_suite("exact").value();
  const std::vector<std::string> rows{"zoo-moe-rtx", "zoo-rnnlm-k40x2"};
  return {.suite = with_rows(std::move(suite), rows).value(),
          .contestants = std::move(contestants),
          .budget = {.evaluations = 20},
          .seeds = 2};
}

BenchAnswer answer_of(const BenchRequest& request) {
  ListeningCaller caller;
  Result<BenchAnswer> answer = bench(request, caller);
  EXPECT_TRUE(answer) << answer.error().message;
  return *std::move(answer);
}

// Plans nothing but what breaks a rule of the suite, or nothing at all.
struct Fusing : Planner {
  Result<Plan> plan(Search& search) override {
    Plan plan;
    const Problem& problem = search.problem();
    plan.device_of.assign(problem.graph().num_ops(), DeviceId{0});
    for (const OpId op : problem.graph().ops()) {
      if (problem.graph().role(op) != Role::kCompute || problem.graph().role(OpId(index(op) + 1)) != Role::kCompute)
        continue;
      plan.fusions = {{op, OpId(index(op) + 1)}};
      if (!verify(problem, plan)) return plan;
    }
    return bad_input("nothing can be fused");
  }
};
struct Helpless : Planner {
  Result<Plan> plan(Search& /*search*/) override { return infeasible("it does not know how"); }
};

TEST(Suites, HaveRowsWithNamesFitForFiles) {
  ASSERT_FALSE(suites().empty());
  for (const Suite& suite : suites()) {
    std::set<std::string> names;
    for (const SuiteRow& row : suite.rows) {
      EXPECT_TRUE(names.insert(row.name).second) << row.name << " twice in " << suite.name;
      EXPECT_EQ(row.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string::npos) << row.name;
      EXPECT_FALSE(row.why.empty());
    }
    EXPECT_EQ(suite.full_name(), fmt::format("{}/{}", suite.name, suite.version));
  }
  EXPECT_EQ(find_suite("exact").value().rows.size(), 30U);
  EXPECT_NE(find_suite("quik").error().message.find("did you mean 'quick'?"), std::string::npos);
}

TEST(Suites, APartIsNotTheWhole) {
  const std::vector<std::string> words{"rnnlm"}, unknown{"rnlm"};
  const Suite part = with_rows(find_suite("papers").value(), words).value();
  ASSERT_EQ(part.rows.size(), 1U);
  EXPECT_EQ(part.full_name(), "papers/1 in part");
  EXPECT_NE(with_rows(find_suite("papers").value(), unknown).error().message.find("'rnlm'"), std::string::npos);
}

// A suite is fixed. When this fails because of a change that was meant, such as one of costs, raise the versions of the
// suites that have the row (suite.cc) and put the new bound here.
TEST(Suites, StayAsTheyAre) {
  const std::map<std::string, Picoseconds> bounds{{"inception-v3-k40x2", 364232043644},
                                                  {"rnnlm-k40x2", 346821398607},
                                                  {"bert-base-k40x4", 517462940624},
                                                  {"zoo-moe-rtx", 359021333241}};
  ListeningCaller caller;
  std::size_t seen = 0;
  const Suite quick = find_suite("quick").value();
  for (const SuiteRow& row : quick.rows) {
    if (!bounds.contains(row.name)) continue;
    const auto loaded = load_problem(row.request(), caller);
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ(look_at(row, loaded->problem).lower_bound, bounds.at(row.name)) << row.name;
    ++seen;
  }
  EXPECT_EQ(seen, bounds.size());
}

TEST(Suites, SettingsOfRowsChangeTheirMachines) {
  ListeningCaller caller;
  const Suite zoo = find_suite("zoo").value();
  for (const SuiteRow& row : zoo.rows) {
    if (row.name != "bert-base-tight-p100x4") continue;
    const auto loaded = load_problem(row.request(), caller);
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ(loaded->problem.capacity(DeviceId{1}), Bytes{8} << 30);
    return;
  }
  FAIL() << "the row is gone";
}

TEST(Bench, RunsEverySeedOfThoseThatUseOne) {
  const BenchAnswer answer = answer_of(small_bench({planner("random"), planner("heft")}));
  EXPECT_EQ(answer.suite, "exact/1 in part");
  EXPECT_EQ(answer.runs, 6U);
  EXPECT_EQ(answer.runs_done, 6U);
  ASSERT_EQ(answer.rows.size(), 2U);
  for (const BenchRow& row : answer.rows) {
    ASSERT_EQ(row.cells.size(), 2U);
    ASSERT_EQ(row.cells[0].runs.size(), 2U);
    EXPECT_EQ(row.cells[0].runs[0].seed, 1U);
    EXPECT_EQ(row.cells[0].runs[1].seed, 2U);
    ASSERT_EQ(row.cells[1].runs.size(), 1U);
    EXPECT_EQ(row.cells[1].runs[0].seed, 0U);
    EXPECT_GE(row.cells[1].least(), row.known());
  }
}

TEST(Bench, DependsOnTheSeedsAlone) {
  const auto times = [] {
    std::vector<Picoseconds> found;
    const BenchAnswer answer = answer_of(small_bench({planner("anneal")}));
    for (const BenchRow& row : answer.rows) {
      for (const BenchRun& run : row.cells[0].runs) found.push_back(run.step_time);
    }
    return found;
  };
  EXPECT_EQ(times(), times());
}

TEST(Bench, ShowsWhatFails) {
  const auto made = [](auto planner) { return [planner] { return std::make_unique<decltype(planner)>(planner); }; };
  const BenchAnswer answer =
      answer_of(small_bench({planner("gpu-only"),
                             {.name = "fusing", .planner = ChosenPlanner{"fusing", made(Fusing())}},
                             {.name = "helpless", .planner = ChosenPlanner{"helpless", made(Helpless()), {}, false}}}));
  const BenchRow& row = answer.rows.front();  // zoo-moe-rtx
  EXPECT_EQ(row.cells[0].runs[0].state, RunState::kOutOfMemory);
  EXPECT_NE(row.cells[0].runs[0].note.find("out of memory"), std::string::npos);
  EXPECT_FALSE(row.cells[0].median());
  EXPECT_EQ(row.cells[1].runs[0].state, RunState::kNoPlan);
  EXPECT_NE(row.cells[1].runs[0].note.find("fuses"), std::string::npos) << row.cells[1].runs[0].note;
  EXPECT_EQ(row.cells[2].runs[0].state, RunState::kNoPlan);
  EXPECT_EQ(row.cells[2].runs[0].note, "it does not know how");
  EXPECT_TRUE(row.is_complete());
  EXPECT_FALSE(row.best());
}

TEST(Bench, PlansInFilesAreReadAndJudged) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "bench_plans";
  std::filesystem::remove_all(folder);
  BenchRequest request = small_bench({planner("anneal"), planner("heft")});
  request.plans = folder.string();
  const BenchAnswer made = answer_of(request);
  ASSERT_TRUE(made.saved.ok()) << made.saved.error().message;
  std::filesystem::remove(folder / "heft" / "zoo-rnnlm-k40x2.json");
  const auto plans = [&](const char* name, const std::string& files) {
    return parse_plans(fmt::format("{}={}/{}", name, folder.string(), files)).value();
  };
  const BenchAnswer read = answer_of(small_bench({plans("a", "anneal/{row}.{seed}.json"), plans("h", "heft")}));
  for (std::size_t row = 0; row < 2; ++row) {
    for (std::size_t seed = 0; seed < 2; ++seed) {
      EXPECT_EQ(read.rows[row].cells[0].runs[seed].step_time, made.rows[row].cells[0].runs[seed].step_time);
    }
  }
  EXPECT_EQ(read.rows[0].cells[1].runs[0].step_time, made.rows[0].cells[1].runs[0].step_time);
  EXPECT_EQ(read.rows[1].cells[1].runs[0].state, RunState::kNoPlan);
  EXPECT_NE(read.rows[1].cells[1].runs[0].note.find("zoo-rnnlm-k40x2.json"), std::string::npos);
}

TEST(Bench, RefusesWhatCannotBeCompared) {
  ListeningCaller caller;
  const auto refused = [&](std::vector<Contestant> contestants) {
    return bench(small_bench(std::move(contestants)), caller).error().message;
  };
  EXPECT_NE(refused({}).find("nobody to compare"), std::string::npos);
  EXPECT_NE(refused({planner("heft"), planner("heft")}).find("two contestants are called 'heft'"), std::string::npos);
  Contestant odd = planner("heft");
  odd.name = "../heft";
  EXPECT_NE(refused({odd}).find("'../heft' is no name"), std::string::npos);
  EXPECT_NE(parse_plans("mine").error().message.find("NAME=FOLDER"), std::string::npos);
  EXPECT_NE(parse_plans("mine=no/such").error().message.find("no folder 'no/such'"), std::string::npos);
  const std::string empty = testing::TempDir();
  EXPECT_NE(refused({parse_plans("mine=" + empty).value()}).find("none of the 2 problems has a plan there"),
            std::string::npos);
}

TEST(Bench, ACallerWhoStopsGetsWhatThereIs) {
  struct Stopping : ListeningCaller {
    void part_ends() override { stop = true; }
  } caller;
  const Result<BenchAnswer> answer = bench(small_bench({planner("heft"), planner("random")}), caller);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->interrupted());
  EXPECT_EQ(answer->runs, 6U);
  const BenchRow& first = answer->rows[0];
  EXPECT_EQ(first.cells[1].runs[0].state, RunState::kNotRun);
  EXPECT_FALSE(first.is_complete());
  EXPECT_EQ(answer->rows[1].cells[0].runs[0].state, RunState::kNotRun);
}

TEST(Dataset, HasAFileForEveryProblem) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "bench_dataset";
  std::filesystem::remove_all(folder);
  ListeningCaller caller;
  const auto rows = export_suite(small_bench({}).suite, folder.string(), caller);
  ASSERT_TRUE(rows) << rows.error().message;
  ASSERT_EQ(rows->size(), 2U);
  for (const char* file : {"zoo-moe-rtx.npz", "zoo-rnnlm-k40x2.npz", "suite.json"}) {
    EXPECT_TRUE(std::filesystem::exists(folder / file)) << file;
  }
}

}  // namespace
}  // namespace berth

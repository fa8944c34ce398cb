// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/text.h"
#include "files/files.h"
#include "import/parts.h"
#include "import/problems/public_problem.h"
#include "machine/library.h"
#include "sim/bounds/bounds.h"
#include "sim/simulator.h"

namespace berth {
namespace {

const std::string kTwoTasks = "  2\n 0 0 0\n 1 3 1 0\n 2 4 1 0\n 3 0 2 1 2\n# Standard Task Graph\n";

Result<Problem> parse_stg(const std::string& text, const ProblemOverrides& request = {}) {
  const TemporaryFolder folder;
  write_bytes(folder.file("toy.stg"), text);
  return load_public_problem(folder.file("toy.stg"), request);
}

std::string stg_error(const std::string& text, const ProblemOverrides& request = {}) {
  const auto problem = parse_stg(text, request);
  if (problem) return "";
  const std::string& message = problem.error().message;
  return message.substr(message.find("toy.stg: ") + 9);
}

TEST(Stg, TasksRunOnEqualProcessorsWithoutCommunication) {
  const auto problem = parse_stg(kTwoTasks);
  ASSERT_TRUE(problem) << problem.error().message;
  EXPECT_EQ(problem->graph().title(), "toy");
  EXPECT_EQ(problem->machine().name(), "procx4");
  EXPECT_EQ(problem->objective(), Objective::kStep);
  EXPECT_EQ(problem->graph().num_edges(), 4U);
  EXPECT_EQ(problem->num_device_classes(), 1);
  const auto time_of = [&](int one, int two) {
    return to_seconds(
        simulate(*problem, Plan{{DeviceId{3}, DeviceId(one), DeviceId(two), DeviceId{2}}, {}, {}}).step_time);
  };
  EXPECT_EQ(time_of(0, 0), 7);
  EXPECT_EQ(time_of(0, 1), 4);
}

TEST(Stg, TakesAnotherMachine) {
  const auto three = std::make_shared<const Machine>(*builtin_machine("procx3"));
  EXPECT_EQ(parse_stg(kTwoTasks, {.machine = three})->machine().num_devices(), 3U);
  EXPECT_NE(stg_error(kTwoTasks, {.objective = Objective::kPipeline}).find("say step"), std::string::npos);
}

TEST(Stg, MistakesAreNamed) {
  EXPECT_EQ(stg_error("2\n0 0 0\n1 3 1 0\n"), "it ends after 2 of 4 tasks, the dummies at both ends counted");
  EXPECT_EQ(stg_error("0\n0 0 0\n1 0 1 0\n2 0 1 0\n"), "line 4: more than the 2 tasks that line 1 announces");
  EXPECT_EQ(stg_error("1\n0 0 0\n2 3 1 0\n"), "line 3: task 2 stands where task 1 is expected");
  EXPECT_EQ(stg_error("1\n0 0 0\n0 3 1 0\n"), "line 3: task 0 stands where task 1 is expected");
  EXPECT_EQ(stg_error("1\n0 0 0\n1 3 2 0\n"), "line 3: 2 predecessors are announced, 1 are there");
  EXPECT_EQ(stg_error("1\n0 0 0\n1 3 1 9\n"), "line 3: a predecessor is \"9\"; expected a whole number up to 2");
  EXPECT_EQ(stg_error("1\n0 0 0\n1 nan 1 0\n"), "line 3: the time is \"nan\"; expected a number that is not negative");
  EXPECT_EQ(stg_error("1\n0 0 0\n1 -3 1 0\n"), "line 3: the time is \"-3\"; expected a number that is not negative");
  EXPECT_EQ(stg_error("1\n0 0\n"), "line 2: expected a task, its time and the number of its predecessors");
  EXPECT_NE(stg_error("99999999999\n").find("whole number up to 19999998"), std::string::npos);
  EXPECT_NE(stg_error("1\n0 0 1 1\n1 3 1 0\n2 0 1 1\n").find("cycle"), std::string::npos);
  EXPECT_NE(stg_error("1\n0 0 0\n1 1e9 1 0\n2 0 1 1\n").find("can be simulated"), std::string::npos);
}

// Optimum of every problem at hand, per number of processors: no lower bound may be above it. Rows with four numbers
// end in the best schedule known, after a bound.
TEST(StgSet, LowerBoundsStayBelowTheOptima) {
  const auto tables = data_files("stg/Optimal_values", "_OPT.csv");
  if (tables.empty()) GTEST_SKIP() << "no stg in the data folder (BERTH_DATA)";
  std::size_t seen = 0;
  for (const std::string& table : tables) {
    const std::string text = *read_file(table);
    for (const std::string_view line : split(text, '\n')) {
      const auto cells = split(trim(line), ',');
      if (cells.size() < 3) continue;
      const std::string file = std::filesystem::path(table).parent_path().parent_path() / cells[0];
      const auto machine = std::make_shared<const Machine>(*builtin_machine(fmt::format("procx{}", trim(cells[1]))));
      const auto problem = load_public_problem(file, {.machine = machine});
      ASSERT_TRUE(problem) << problem.error().message;
      ASSERT_EQ(problem->graph().num_ops(), 52U);
      EXPECT_LE(to_seconds(lower_bound(*problem).value()), std::stod(std::string(cells.back()))) << file;
      ++seen;
    }
  }
  EXPECT_EQ(seen, 720U);
}

}  // namespace
}  // namespace berth

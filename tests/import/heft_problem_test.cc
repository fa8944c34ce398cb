// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "import/parts.h"
#include "import/problems/public_problem.h"
#include "sim/simulator.h"

namespace berth {
namespace {

// Two tasks on two processors; the edge takes 6 units of data over 2 per second.
class HeftFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    write("task_connectivity.csv", "T,a,b\na,0,6\nb,0,0");
    write("task_exe_time.csv", "TP,p,q\nT_0,1,5\nT_1,7.5,2\n");
    write("resource_BW.csv", "P,p,q\np,0,2\nq,1,0\n");
  }
  void write(const std::string& ending, const std::string& text) { write_bytes(file(ending), text); }
  [[nodiscard]] std::string file(const std::string& ending) const { return folder_.file("toy_" + ending); }
  // What is said about the problem, without the folder.
  [[nodiscard]] std::string error(const ProblemOverrides& request = {}) const {
    const auto problem = load_public_problem(file("task_connectivity.csv"), request);
    if (problem) return "";
    const std::string& message = problem.error().message;
    return message.substr(message.find("toy_"));
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(HeftFiles, AnyOfTheThreeStandsForAll) {
  for (const char* ending : {"task_connectivity.csv", "task_exe_time.csv", "resource_BW.csv"}) {
    const auto problem = load_public_problem(file(ending));
    ASSERT_TRUE(problem) << problem.error().message;
    EXPECT_EQ(problem->graph().title(), "toy");
    EXPECT_EQ(problem->objective(), Objective::kStep);
    EXPECT_EQ(problem->machine().num_devices(), 2U);
    EXPECT_EQ(problem->graph().name(OpId{1}), "b");
    EXPECT_EQ(to_seconds(problem->duration(OpId{1}, DeviceId{0})), 7.5);
  }
}

TEST_F(HeftFiles, TransfersTakeDataOverBandwidth) {
  const Problem problem = *load_public_problem(file("task_connectivity.csv"));
  const auto time_on = [&](int a, int b) {
    return to_seconds(simulate(problem, Plan{{DeviceId(a), DeviceId(b)}, {}, {}}).step_time);
  };
  EXPECT_EQ(time_on(0, 0), 1 + 7.5);
  EXPECT_EQ(time_on(0, 1), 1 + 6.0 / 2 + 2);
  EXPECT_EQ(time_on(1, 0), 5 + 6.0 / 1 + 7.5);
}

TEST_F(HeftFiles, AStartupRowDelaysWhatAProcessorSends) {
  write("resource_BW.csv", "P,p,q\np,0,2\nq,1,0\nStartup,0.5,4\n");
  const Problem problem = *load_public_problem(file("task_connectivity.csv"));
  EXPECT_EQ(to_seconds(simulate(problem, Plan{{DeviceId{0}, DeviceId{1}}, {}, {}}).step_time), 1 + 0.5 + 3 + 2);
}

TEST_F(HeftFiles, MistakesAreNamed) {
  write("task_exe_time.csv", "TP,p,q\nT_0,1,5\n");
  EXPECT_EQ(error(), "toy_task_exe_time.csv: it has 1 tasks and 2 processors; its sisters have 2 and 2");
  write("task_exe_time.csv", "TP,p,q\nT_0,1,-5\n");
  EXPECT_EQ(error(),
            "toy_task_exe_time.csv: line 2: a number of 'T_0' is \"-5\"; expected a number that is not negative");
  write("task_exe_time.csv", "TP,p,q\nT_0,1,nan\n");
  EXPECT_NE(error().find("\"nan\"; expected a number"), std::string::npos);
  write("task_exe_time.csv", "TP,p,q\nT_0,1,1e308\n");
  EXPECT_NE(error().find("beyond 1e+09"), std::string::npos);
  write("task_connectivity.csv", "T,a,b\na,0,6\nb,0");
  EXPECT_EQ(error(), "toy_task_connectivity.csv: line 3: expected a name and 2 numbers, found 2 cells");
  write("task_exe_time.csv", "TP,p,q\nT_0,1,5\nT_1,7,2\n");
  write("task_connectivity.csv", "T,a,b\na,0,6\n");
  EXPECT_NE(error().find("2 columns and 1 rows"), std::string::npos);
}

TEST_F(HeftFiles, CyclesAndEqualNamesAreRefused) {
  write("task_connectivity.csv", "T,a,b\na,0,6\nb,1,0");
  EXPECT_NE(error().find("cycle"), std::string::npos) << error();
  write("task_connectivity.csv", "T,a,a\na,0,6\na,0,0");
  EXPECT_NE(error().find("'a'"), std::string::npos) << error();
}

TEST_F(HeftFiles, ProcessorsMustReachEachOther) {
  write("resource_BW.csv", "P,p,q\np,0,0\nq,1,0\n");
  EXPECT_EQ(error(), "toy_resource_BW.csv: the bandwidth from 'p' to 'q' is 0; every processor must reach every other");
}

TEST_F(HeftFiles, MoreProcessorsThanAMachineHasAreRefused) {
  std::string names = "P", bandwidths, rows;
  for (int i = 0; i < 65; ++i) {
    names += fmt::format(",p{}", i);
    bandwidths += ",1";
  }
  for (int i = 0; i < 65; ++i) rows += fmt::format("\np{}{}", i, bandwidths);
  write("resource_BW.csv", names + rows);
  EXPECT_EQ(error(), "toy_resource_BW.csv: 65 processors; a machine has at most 64");
}

TEST_F(HeftFiles, AMissingSisterIsNamed) {
  std::filesystem::remove(file("resource_BW.csv"));
  EXPECT_EQ(
      error(),
      "toy_task_connectivity.csv: a HEFT problem is three files; there is no toy_resource_BW.csv beside this one");
}

TEST_F(HeftFiles, MachineAndObjectiveAreItsOwn) {
  const Problem own = *load_public_problem(file("task_connectivity.csv"));
  EXPECT_NE(error({.machine = std::make_shared<const Machine>(own.machine())}).find("leave --machine out"),
            std::string::npos);
  EXPECT_NE(error({.objective = Objective::kPipeline}).find("leave --objective out or say step"), std::string::npos);
  EXPECT_EQ(error({.objective = Objective::kStep}), "");
}

// The schedule in figure 3 of the HEFT paper, tasks in the order of their upward ranks: it ends at 80.
TEST(HeftExample, PublishedScheduleEndsAt80) {
  const auto files = data_files("heft_example/test", "canonicalgraph_task_connectivity.csv");
  if (files.empty()) GTEST_SKIP() << "no heft_example in the data folder (BERTH_DATA)";
  const auto problem = load_public_problem(files.front());
  ASSERT_TRUE(problem) << problem.error().message;
  const std::vector<int> processor{2, 0, 2, 1, 2, 1, 2, 0, 1, 1};
  Plan plan;
  for (const int p : processor) plan.device_of.push_back(DeviceId(p));
  plan.priority = {108, 77, 80, 80, 69, 63.3, 42.7, 35.7, 44.3, 14.7};
  EXPECT_EQ(verify(*problem, plan), std::nullopt);
  const Timeline timeline = simulate_timeline(*problem, plan);
  EXPECT_EQ(to_seconds(timeline.score.step_time), 80);
  EXPECT_EQ(to_seconds(timeline.op_end[8]), 68) << "task 9 of the paper runs from 56 to 68";
}

}  // namespace
}  // namespace berth

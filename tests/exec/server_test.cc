// SPDX-License-Identifier: Apache-2.0
// The process that runs plans, spoken to over its input and output.
#include "exec/server.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "exec/small_captures.h"
#include "measure/session.h"

namespace berth::exec {
namespace {

std::string product_capture() {
  return CaptureText()
      .add("input", "f32 8 8")
      .add("parameter", "f32 8 8")
      .add("aten.mm.default", "f32 8 8", R"("args": [{"op": 0}, {"op": 1}])")
      .text();
}

class ServerTest : public ::testing::Test {
 protected:
  explicit ServerTest(const std::string& capture = product_capture())
      : path_(testing::TempDir() + "berth_" + testing::UnitTest::GetInstance()->current_test_info()->name() + ".json") {
    std::ofstream(path_) << capture;
  }
  ~ServerTest() override { std::filesystem::remove(path_); }

  // What it answers to these lines, line by line.
  [[nodiscard]] std::vector<std::string> answers(const std::string& questions,
                                                 std::string_view devices = "cpu:0") const {
    std::istringstream input(questions);
    std::ostringstream output;
    std::streambuf* const in = std::cin.rdbuf(input.rdbuf());
    std::streambuf* const out = std::cout.rdbuf(output.rdbuf());
    const Status status = serve(path_, devices);
    std::cin.rdbuf(in);
    std::cin.clear();
    std::cout.rdbuf(out);
    EXPECT_TRUE(status.ok());
    std::vector<std::string> lines;
    std::istringstream text(output.str());
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }
  [[nodiscard]] static std::string request(int runs, int profiles, double enough_s = 0.0) {
    MeasureOptions options;
    options.runs = runs;
    options.profiles = profiles;
    options.enough_s = enough_s;
    return write_run_request({.device_of = std::vector<DeviceId>(3), .priority = {}, .fusions = {}}, options);
  }
  [[nodiscard]] Sample sample_of(const std::string& line) const {
    return read_sample(line, parse_graph(product_capture(), "capture").value(), 1).value();
  }
  std::string path_;
};

TEST_F(ServerTest, IsReadyThenAnswersEveryPlan) {
  const auto lines = answers("{}\n" + request(4, 2) + request(3, 0));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0], "{\"ready\": true}");
  const Sample first = sample_of(lines[1]), second = sample_of(lines[2]);
  EXPECT_EQ(first.steps_s.size(), 2U) << "the last half";
  EXPECT_EQ(first.ops.size(), 1U);
  EXPECT_EQ(index(first.ops[0].op), 2U);
  EXPECT_GT(first.profiled_step_s, 0.0);
  EXPECT_GE(first.tensor_peak[0], 3 * 256) << "two matrices and their product";
  EXPECT_GE(first.peak[0], first.tensor_peak[0]);
  EXPECT_EQ(second.steps_s.size(), 2U) << "of three the last two";
  EXPECT_TRUE(second.ops.empty()) << "not asked for";
  EXPECT_EQ(second.checksum, first.checksum) << "nothing was updated";
  EXPECT_FALSE(first.checksum.empty());
}

// As soon as runs after the first have taken so long, which they have at once, four are enough.
TEST_F(ServerTest, FourRunsAreEnoughOnceTheyTookLongEnough) {
  const auto lines = answers("{}\n" + request(100, 0, 1e-12) + request(0, 0));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(sample_of(lines[1]).steps_s.size(), 2U);
  EXPECT_EQ(sample_of(lines[2]).steps_s.size(), 1U) << "one run at least";
}

TEST_F(ServerTest, SaysWhatItCannotLoad) {
  const auto error = [&](std::string_view devices) {
    const auto lines = answers("{}\n" + request(1, 0), devices);
    EXPECT_EQ(lines.size(), 1U) << "and then it ends";
    return lines.at(0);
  };
  EXPECT_NE(error("gpu").find("\"error\": \"--devices: 'gpu' is no device"), std::string::npos);
  std::ofstream(path_) << R"({"format": "berth-graph/1"})";
  EXPECT_NE(error("cpu:0").find("only captures (aten-graph/1) can be run"), std::string::npos);
  std::ofstream(path_)
      << CaptureText().add("input", "f32 4").add("mine.op.default", "f32 4", R"("args": [{"op": 0}])").text();
  const std::string unknown = error("cpu:0");
  EXPECT_NE(unknown.find("'mine.op.default' is no operator of ATen"), std::string::npos) << unknown;
  EXPECT_NE(unknown.find(path_), std::string::npos) << "whose op it is";
  std::filesystem::remove(path_);
  EXPECT_NE(error("cpu:0").find("error"), std::string::npos);
}

// What an error leaves behind is of no use: the process ends, after it has said what was wrong.
using ServerDeathTest = ServerTest;
TEST_F(ServerDeathTest, EndsAfterARequestThatIsWrong) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto serve_on_errors = [&](const std::string& question) {
    const std::istringstream input("{}\n" + question + "\n");
    std::cin.rdbuf(input.rdbuf());
    std::cout.rdbuf(std::cerr.rdbuf());
    (void)serve(path_, "cpu:0");
    std::_Exit(7);  // it came back
  };
  using testing::ExitedWithCode;
  EXPECT_EXIT(serve_on_errors("nonsense"), ExitedWithCode(0), "\"ready\": true.*\"error\"");
  EXPECT_EXIT(serve_on_errors(R"({"runs": 1, "profiles": 0, "enough_s": 0, "device_of": [0, 0], "priority": []})"),
              ExitedWithCode(0), "the plan does not have one entry per op");
  EXPECT_EXIT(serve_on_errors(R"({"runs": 1, "profiles": 0, "enough_s": 0, "device_of": [0, 0, 1], "priority": []})"),
              ExitedWithCode(0), "error.*device_of\\[2\\]");
  EXPECT_EXIT(serve_on_errors(R"({"runs": 1, "profiles": 0, "enough_s": 0, "device_of": [0, 0, 0], "priority": [1]})"),
              ExitedWithCode(0), "the plan does not have one entry per op");
}

}  // namespace
}  // namespace berth::exec

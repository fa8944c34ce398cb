// SPDX-License-Identifier: Apache-2.0
// Calibration on runs that were made once, on two cores of a computer that others kept busy (recorded/): whoever is
// busy now, the numbers are the same. bench/reality makes new ones.
#include <gtest/gtest.h>

#include <cmath>

#include "base/text.h"
#include "files/files.h"
#include "files/json/json_reader.h"
#include "format/machine_toml.h"
#include "import/graph_file.h"
#include "measure/calibration.h"
#include "sim/simulator.h"
#include "support/folders.h"

namespace berth {
namespace {

std::string recorded(const char* name) { return (source_folder() / "tests" / "measure" / "recorded" / name).string(); }

Problem recorded_problem() {
  const std::string machine = read_file((source_folder() / "examples" / "machines" / "halves.toml").string()).value();
  return make_problem(std::make_shared<const Graph>(load_graph_file(recorded("branches.json")).value()),
                      std::make_shared<const Machine>(read_machine_toml(machine, "halves.toml").value()))
      .value();
}

// A line: {"device_of": [...], "sample": {...}}, the latter as the measuring process says it.
CalibrationRun read_run(std::string_view line, const Problem& problem) {
  CalibrationRun run;
  JsonDocument document = JsonDocument::open(std::string(line)).value();
  EXPECT_TRUE(document.for_each("device_of", [&](const JsonValue& device) -> Status {
    run.plan.device_of.push_back(static_cast<DeviceId>(device.integer().value()));
    return {};
  }));
  const std::size_t begin = line.find("\"sample\": ") + 10;
  run.sample = read_sample(std::string(line.substr(begin, line.size() - begin - 1)), problem.graph(), 2).value();
  return run;
}

std::vector<CalibrationRun> recorded_runs(const Problem& problem) {
  std::vector<CalibrationRun> runs;
  const std::string text = read_file(recorded("branches.runs.jsonl")).value();
  for (const std::string_view line : split(text, '\n')) {
    if (!line.empty()) runs.push_back(read_run(line, problem));
  }
  return runs;
}

// How far a prediction is off, as a factor of at least one.
double factor_off(const Problem& problem, const CalibrationRun& run) {
  const double ratio = to_seconds(simulate(problem, run.plan).step_time) / run.sample.median_s();
  return std::max(ratio, 1.0 / ratio);
}

TEST(CalibrationOfRecordedRuns, PredictsEveryOneOfThemBetter) {
  const Problem before = recorded_problem();
  const std::vector<CalibrationRun> runs = recorded_runs(before);
  ASSERT_EQ(runs.size(), 6U);
  const Problem after = calibrated_problem(before, calibrate(before, runs)).value();
  double worst_before = 1.0, worst_after = 1.0;
  for (const CalibrationRun& run : runs) {
    EXPECT_LT(factor_off(after, run), factor_off(before, run));
    worst_before = std::max(worst_before, factor_off(before, run));
    worst_after = std::max(worst_after, factor_off(after, run));
  }
  EXPECT_GT(worst_before, 3.0) << "figures of another computer";
  EXPECT_LT(worst_after, 1.9) << "what is left is how far the runs differ from one another";
}

// Quiet runs, made up of the recorded ones: no op took longer than its shortest time, and the step as long as its ops.
TEST(CalibrationOfRecordedRuns, MeetsQuietOnesOfOneDeviceToAPercent) {
  const Problem before = recorded_problem();
  std::vector<CalibrationRun> runs = recorded_runs(before);
  runs.resize(2);
  for (CalibrationRun& run : runs) {
    double now_s = 0.0;
    for (std::size_t i = 0; i < run.sample.ops.size(); ++i) {
      run.sample.ops[i].start_s = now_s;
      now_s += run.sample.op_s[i];
      run.sample.ops[i].end_s = now_s;
    }
    run.sample.steps_s = {1.02 * now_s};  // what lies between ops
  }
  const Problem after = calibrated_problem(before, calibrate(before, runs)).value();
  for (const CalibrationRun& run : runs) EXPECT_LT(factor_off(after, run), 1.01);
}

}  // namespace
}  // namespace berth

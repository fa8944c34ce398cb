// SPDX-License-Identifier: Apache-2.0
// A graph run for real in several ways, and what that says about costs of ops and links on the devices at hand.
#pragma once

#include <string>
#include <vector>

#include "measure/calibration.h"
#include "services/measure/measuring.h"
#include "services/problem/problem_request.h"

namespace berth {

struct CalibrateRequest {
  ProblemRequest problem;
  MeasuringRequest measuring;
  std::string output;               // file for the costs of all ops, as a request for a problem takes them
  std::string machine_output = {};  // file for the machine with the measured links; empty: none
};

// A plan that was run, and what was predicted of it before and after.
struct CheckedRun {
  std::string plan;  // "12 ops on gpu0, 3 ops on gpu1"
  double measured_s = 0.0, before_s = 0.0, after_s = 0.0;

  [[nodiscard]] double error_before() const { return before_s / measured_s - 1.0; }
  [[nodiscard]] double error_after() const { return after_s / measured_s - 1.0; }
};

struct CalibrateAnswer {
  LoadedProblem loaded;
  Calibration fits = {};
  std::vector<CheckedRun> runs = {};
  std::vector<std::string> failed = {};  // plans that could not be run, each with the reason
};

// Plans that cannot be run are left out, and the caller is told why; an error if none can. Writes both files.
Result<CalibrateAnswer> calibrate_graph(const CalibrateRequest& request, Caller& caller);

// What a plan puts where, by compute ops: "12 ops on gpu0, 3 ops on gpu1".
std::string ops_by_device(const Problem& problem, const Plan& plan);

}  // namespace berth

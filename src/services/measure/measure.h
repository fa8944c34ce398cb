// SPDX-License-Identifier: Apache-2.0
// Plans run for real, beside what was predicted of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "measure/sample.h"
#include "services/measure/measuring.h"
#include "services/problem/problem_request.h"
#include "sim/timeline.h"

namespace berth {

struct MeasureRequest {
  ProblemRequest problem;  // machine empty: the one that the first plan was made for, if it is built in
  MeasuringRequest measuring;
  std::vector<std::string> plans;  // files
  std::string trace = {};          // file for the real run of the one plan; empty: none
};

struct MeasuredPlan {
  std::string path;
  Plan plan;
  Result<Sample> sample;
  Score predicted;
};

struct MeasureAnswer {
  LoadedProblem loaded;
  std::vector<MeasuredPlan> plans = {};  // fewer than were asked for if the caller stopped
};

// All plans are read and verified before any is run.
Result<MeasureAnswer> measure_plans(MeasureRequest request, Caller& caller);

// What a sample says, beside what was predicted; for plans that could be run.
struct MeasuredFacts {
  struct Link {
    std::size_t transfers = 0;
    Bytes bytes = 0;
    double measured_s = 0.0, predicted_s = 0.0;
  };
  struct Op {
    OpId op;
    DeviceId device;
    double measured_s = 0.0, predicted_s = 0.0;
  };
  std::vector<double> busy_s;     // per device
  std::vector<Bytes> workspaces;  // per device: what ops took besides tensors
  std::map<std::pair<DeviceId, DeviceId>, Link> links;
  std::vector<Op> ops;  // in the order of the sample
  double error = 0.0;   // predicted step / measured step - 1

  [[nodiscard]] std::vector<Op> slowest(std::size_t most) const;
};
MeasuredFacts facts_of(const Problem& problem, const MeasuredPlan& measured);

// The real run for chrome://tracing or Perfetto: a row per device and per pair of devices that talk.
std::string measured_trace(const Problem& problem, const Plan& plan, const Sample& sample);

}  // namespace berth

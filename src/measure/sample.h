// SPDX-License-Identifier: Apache-2.0
// What one plan did on real devices, and how it travels from the process that ran it to the one that asked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/units.h"
#include "graph/graph.h"

namespace berth {

// An op or a transfer of the run that is shown, in seconds from the start of the step.
struct OpSpan {
  OpId op;
  double start_s = 0.0, end_s = 0.0;
};
struct TransferSpan {
  TensorId tensor;
  DeviceId from, to;
  double start_s = 0.0, end_s = 0.0;
  Bytes bytes = 0;
};

struct Sample {
  std::vector<double> steps_s;          // the runs that count, in order
  std::vector<OpSpan> ops;              // of the last run with times; compute ops
  std::vector<double> op_s;             // per entry of `ops`: median duration over the runs with times
  std::vector<TransferSpan> transfers;  // of the same run
  // By device, most bytes at one instant: of everything that was allocated, and of tensors alone, seen between ops. The
  // difference are workspaces of ops.
  std::vector<Bytes> peak, tensor_peak;
  double profiled_step_s = 0.0;  // of the last run with times, which are taken apart from those that count
  std::string checksum;          // over the outputs of the first step; equal numbers, equal text

  [[nodiscard]] double median_s() const;
  [[nodiscard]] double spread() const;  // (90th percentile - 10th) / median
};

// Linear between neighbours; `share` from 0 to 1. 0 for no values.
double quantile(std::vector<double> values, double share);

// One line of JSON each way.
std::string write_sample(const Sample& sample);
Result<Sample> read_sample(std::string text, const Graph& graph, std::size_t num_devices);

}  // namespace berth

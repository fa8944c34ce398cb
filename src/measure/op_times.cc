// SPDX-License-Identifier: Apache-2.0
#include "measure/op_times.h"

#include <algorithm>

namespace berth {
namespace {

constexpr double kUndisturbed = 0.8;
constexpr double kMostOverhead = 50e-6;  // to start an op

// Cost of an op from its measured time on a device: time * scale + extra.
struct Adjustment {
  double scale = 1.0, extra_s = 0.0;
};

Adjustment adjustment_of(const Sample& sample) {
  double sum_s = 0.0;
  for (const double seconds : sample.op_s) sum_s += seconds;
  if (sample.op_s.empty() || sum_s <= 0.0) return {};
  const auto count = static_cast<double>(sample.op_s.size());
  const double extra_s = std::clamp((sample.median_s() - sum_s) / count, 0.0, kMostOverhead);
  return {.scale = (sample.median_s() - extra_s * count) / sum_s, .extra_s = extra_s};
}

// A CPU that others use as well may be slow for a while, such as that of its run alone. Ops that another run did much
// faster cost what they took there.
void take_undisturbed_times(const Problem& problem, const std::vector<CalibrationRun>& runs,
                            const std::vector<Adjustment>& adjustments, Calibration& calibration) {
  for (const CalibrationRun& run : runs) {
    if (only_device(problem.graph(), run.plan)) continue;
    // Times of ops are of one step; the median of steps is what counts.
    const double profiled_s = run.sample.profiled_step_s;
    const double pace = profiled_s > 0.0 ? run.sample.median_s() / profiled_s : 1.0;
    for (const DeviceId device : problem.machine().device_ids()) {
      if (problem.machine().device(device).kind != DeviceKind::kCpu) continue;
      std::vector<double>& seconds = calibration.seconds[index(device)];
      double here_s = 0.0, known_s = 0.0;
      std::vector<std::pair<OpId, double>> costs;
      for (std::size_t i = 0; i < run.sample.ops.size(); ++i) {
        const OpId op = run.sample.ops[i].op;
        if (run.plan.device(op) != device) continue;
        costs.emplace_back(op, run.sample.op_s[i] * pace + adjustments[index(device)].extra_s);
        here_s += costs.back().second;
        known_s += seconds[index(op)];
      }
      if (here_s >= kUndisturbed * known_s) continue;
      for (const auto& [op, cost_s] : costs) seconds[index(op)] = cost_s;
    }
  }
}

}  // namespace

void take_times(const Problem& problem, const std::vector<CalibrationRun>& runs, Calibration& calibration) {
  const std::size_t devices = problem.machine().num_devices();
  std::vector<Adjustment> adjustments(devices);
  for (const CalibrationRun& run : runs) {
    const auto only = only_device(problem.graph(), run.plan);
    if (only) adjustments[index(*only)] = adjustment_of(run.sample);
  }
  for (std::size_t i = 0; i < devices; ++i) calibration.overhead_s[i] = adjustments[i].extra_s;
  // Runs on one device come last: nothing disturbs them.
  for (const bool alone : {false, true}) {
    for (const CalibrationRun& run : runs) {
      if (only_device(problem.graph(), run.plan).has_value() != alone) continue;
      for (std::size_t i = 0; i < run.sample.ops.size(); ++i) {
        const OpId op = run.sample.ops[i].op;
        const std::size_t device = index(run.plan.device(op));
        calibration.seconds[device][index(op)] =
            run.sample.op_s[i] * adjustments[device].scale + adjustments[device].extra_s;
      }
    }
  }
  take_undisturbed_times(problem, runs, adjustments, calibration);
}

}  // namespace berth

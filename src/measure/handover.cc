// SPDX-License-Identifier: Apache-2.0
#include "measure/handover.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/simulator.h"

namespace berth {
namespace {

constexpr std::size_t kMostScattered = 32;
constexpr double kLeastHandover = 0.5e-6, kMostHandover = 2e-3;
constexpr int kTries = 16;

Calibration with_latency(Calibration calibration, double extra_s) {
  for (LinkFit& link : calibration.links) link.latency_s += extra_s;
  return calibration;
}

// Sum of squares of log(predicted / measured).
double loss_of(const Problem& problem, const std::vector<const CalibrationRun*>& runs, const Calibration& calibration) {
  const auto after = calibrated_problem(problem, calibration);
  if (!after) return std::numeric_limits<double>::infinity();
  double sum = 0.0;
  for (const CalibrationRun* run : runs) {
    const double error = std::log(to_seconds(simulate(*after, run->plan).step_time) / run->sample.median_s());
    sum += error * error;
  }
  return sum;
}

}  // namespace

Plan scattered_plan(const Problem& problem, DeviceId base, DeviceId other) {
  Plan plan = all_on(problem, base);
  std::vector<std::pair<Picoseconds, std::uint32_t>> cheap;  // units that can move, with their time on `other`
  for (std::uint32_t unit = 0; unit < problem.num_units(); ++unit) {
    Picoseconds time{};
    bool may = true;
    for (const OpId op : problem.unit_ops(unit)) {
      may &= (problem.allowed(op) & device_bit(other)) != 0;
      time += problem.duration(op, other);
    }
    if (may && time > Picoseconds{}) cheap.emplace_back(time, unit);
  }
  std::ranges::sort(cheap);
  cheap.resize(std::min(std::clamp<std::size_t>(cheap.size() / 8, 1, kMostScattered), cheap.size()));
  for (const auto& [time, unit] : cheap) {
    for (const OpId op : problem.unit_ops(unit)) plan.device_of[index(op)] = other;
  }
  return plan;
}

void fit_handovers(const Problem& problem, const std::vector<CalibrationRun>& runs, Calibration& calibration) {
  std::vector<const CalibrationRun*> crossing;
  for (const CalibrationRun& run : runs) {
    if (!only_device(problem.graph(), run.plan) && run.sample.median_s() > 0.0) crossing.push_back(&run);
  }
  if (crossing.empty() || calibration.links.empty()) return;
  double best_s = 0.0, least = loss_of(problem, crossing, calibration);
  const auto consider = [&](double extra_s) {
    const double loss = loss_of(problem, crossing, with_latency(calibration, extra_s));
    if (loss < least) least = loss, best_s = extra_s;
  };
  const double ratio = std::pow(kMostHandover / kLeastHandover, 1.0 / (kTries - 1));
  for (int i = 0; i < kTries; ++i) consider(kLeastHandover * std::pow(ratio, i));
  const double coarse_s = best_s;
  for (const double power : {-0.75, -0.5, -0.25, 0.25, 0.5, 0.75}) consider(coarse_s * std::pow(ratio, power));
  calibration = with_latency(std::move(calibration), best_s);
  calibration.handover_s = best_s;
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include "services/serving/served_shares.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "serving/files/served_file.h"

namespace berth {
namespace {

constexpr double kStay = 0.05;         // the cost of a share that leaves what it was, beside that of an error
constexpr double kFirstStep = 1.5;     // by which shares are tried larger and smaller
constexpr double kLastStep = 1.002;    // at which nothing is gained any more
constexpr double kMostOfCopies = 0.9;  // of a step that may be copies: the rest is there even so

using SharesOf = std::vector<ServedShares>;

// An op as the shares see it.
struct ServedOp {
  DeviceId device;
  double arithmetic_s = 0.0, traffic_s = 0.0, fixed_s = 0.0;
  bool overlaps = true;
};

double op_s(const ServedOp& op, const ServedShares& shares) {
  const double arithmetic = op.arithmetic_s / shares.arithmetic, traffic = op.traffic_s / shares.memory;
  return (op.overlaps ? std::max(arithmetic, traffic) : arithmetic + traffic) + op.fixed_s;
}

// A step, its ops at the shares that the machine has now.
class TimedShares {
 public:
  TimedShares(const ServedStep& step, const Machine& machine) : step_(step) {
    const Graph& graph = step.serving->problem(step.phase).graph();
    const Plan plan = step.serving->plan_of(*step.placement, step.phase);
    for (const OpId op : graph.ops()) {
      const OpFeatures features = features_of(graph, op);
      if (graph.role(op) != Role::kCompute || features.streamed.op == StreamedOp::kNone) continue;
      const DeviceId id = plan.device(op);
      const Device& device = machine.device(id);
      const StreamedWork work = streamed_work(features, device);
      ops_.push_back({.device = id,
                      .arithmetic_s = work.arithmetic_s / (work.row->matrix * step.serving->served(id).arithmetic),
                      .traffic_s = work.traffic_s / (work.row->traffic * step.serving->served(id).memory),
                      .fixed_s = work.row->fixed_s,
                      .overlaps = streaming_table(device).overlaps});
    }
    const auto first =
        std::ranges::find_if(step.placement->home, [&](DeviceId home) { return home != step.serving->cpu(); });
    if (step.copies_s > 0.0 && first != step.placement->home.end()) copies_to_ = *first;
    const SharesOf same(machine.num_devices());
    work_s_ = work_s(same);
  }

  [[nodiscard]] bool uses(DeviceId device) const {
    return std::ranges::any_of(ops_, [&](const ServedOp& op) { return op.device == device; });
  }
  [[nodiscard]] bool copies_to(DeviceId device) const { return device == copies_to_; }

  // By how much the prediction is off, as a logarithm, if devices were so many times as fast as now. What is neither
  // an op nor a copy changes in proportion: several cards may work at the same time.
  [[nodiscard]] double error(const SharesOf& factors) const {
    const double copies = copies_to_ == kNoDevice ? 0.0 : std::min(step_.copies_s, kMostOfCopies * step_.predicted_s);
    double seconds = (step_.predicted_s - copies) * (work_s_ > 0.0 ? work_s(factors) / work_s_ : 1.0);
    if (copies_to_ != kNoDevice) seconds += copies / factors[index(copies_to_)].copies;
    return std::log(seconds / step_.measured_s);
  }

 private:
  [[nodiscard]] double work_s(const SharesOf& factors) const {
    double seconds = 0.0;
    for (const ServedOp& op : ops_) seconds += op_s(op, factors[index(op.device)]);
    return seconds;
  }

  ServedStep step_;
  std::vector<ServedOp> ops_;
  DeviceId copies_to_ = kNoDevice;
  double work_s_ = 0.0;
};

constexpr std::array kShareFields{&ServedShares::arithmetic, &ServedShares::memory, &ServedShares::copies};

double misfit(const std::vector<TimedShares>& steps, const SharesOf& factors) {
  double sum = 0.0;
  for (const TimedShares& step : steps) sum += std::pow(step.error(factors), 2.0);
  for (const ServedShares& shares : factors) {
    for (const auto field : kShareFields) sum += kStay * std::pow(std::log(shares.*field), 2.0);
  }
  return sum;
}

bool try_both_ways(const std::vector<TimedShares>& steps, double step, double& factor, SharesOf& factors,
                   double& best) {
  const double before = factor;
  for (const double way : {step, 1.0 / step}) {
    factor = before * way;
    const double found = misfit(steps, factors);
    if (found < best - 1e-12) {
      best = found;
      return true;
    }
  }
  factor = before;
  return false;
}

double rounded(double share) {
  constexpr double kDigits = 1e3;
  return std::clamp(std::round(share * kDigits) / kDigits, kLeastServed, kMostServed);
}

}  // namespace

// By coordinate descent: a handful of shares, and a misfit without traps.
std::vector<ServedShares> fit_served_shares(const Machine& machine, std::span<const ServedStep> measured) {
  std::vector<TimedShares> steps;
  for (const ServedStep& step : measured) steps.emplace_back(step, machine);
  SharesOf factors(machine.num_devices());
  double best = misfit(steps, factors);
  for (double step = kFirstStep; step > kLastStep;) {
    bool improved = false;
    for (const DeviceId id : machine.device_ids()) {
      const bool used = std::ranges::any_of(steps, [&](const TimedShares& one) { return one.uses(id); });
      const bool copied = std::ranges::any_of(steps, [&](const TimedShares& one) { return one.copies_to(id); });
      ServedShares& mine = factors[index(id)];
      if (used) improved |= try_both_ways(steps, step, mine.arithmetic, factors, best);
      if (used) improved |= try_both_ways(steps, step, mine.memory, factors, best);
      if (copied) improved |= try_both_ways(steps, step, mine.copies, factors, best);
    }
    if (!improved) step = std::sqrt(step);
  }
  std::vector<ServedShares> shares;
  for (const DeviceId id : machine.device_ids()) {
    const ServedShares now = measured.empty() ? ServedShares{} : measured.front().serving->served(id);
    const ServedShares& factor = factors[index(id)];
    shares.push_back({rounded(now.arithmetic * factor.arithmetic), rounded(now.memory * factor.memory),
                      rounded(now.copies * factor.copies)});
  }
  return shares;
}

}  // namespace berth

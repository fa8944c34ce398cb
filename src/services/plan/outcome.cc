// SPDX-License-Identifier: Apache-2.0
#include "services/plan/outcome.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "sim/bounds/bounds.h"
#include "sim/simulator.h"

namespace berth {

void tell_bound(const Problem& problem, const LowerBound& bound, Outcome& outcome) {
  if (outcome.is_measured || outcome.lower_bound == 0) return;
  if (outcome.lower_bound > bound.value()) {
    outcome.bound_name = "search";
    outcome.bound_reason = fmt::format("the planner has looked through all plans that would be faster, {} to {}",
                                       format_time(bound.value()), format_time(outcome.lower_bound));
    return;
  }
  outcome.bound_name = name_of(bound.kind());
  outcome.bound_reason = reason_of(problem, bound);
}

std::string bound_sentence(const Outcome& outcome) {
  if (outcome.bound_name.empty()) return {};
  return fmt::format("no plan takes less than {} ({}): {}", format_time(outcome.lower_bound), outcome.bound_name,
                     outcome.bound_reason);
}

Outcome score_plan(const Problem& problem, std::string planner, const Plan& plan) {
  Outcome outcome;
  outcome.planner = std::move(planner);
  outcome.plan = plan;
  outcome.score = simulate(problem, plan);
  const LowerBound bound = lower_bound(problem, !plan.fusions.empty());
  outcome.lower_bound = bound.value();
  tell_bound(problem, bound, outcome);
  outcome.evaluations = 1;
  outcome.seed = 0;
  outcome.searched = false;
  return outcome;
}

void rank(std::vector<Outcome>& outcomes) {
  std::ranges::stable_sort(outcomes, [](const Outcome& a, const Outcome& b) {
    if (a.error || b.error) return !a.error && b.error;
    return better(a.score, b.score);
  });
}

std::optional<StepRange> step_range(const Machine& machine, const Score& predicted) {
  const auto& accuracy = machine.accuracy();
  if (!accuracy) return std::nullopt;
  const double predicted_s = to_seconds(predicted.step_time);
  return StepRange{accuracy->low * predicted_s, accuracy->high * predicted_s};
}

std::optional<StepRange> step_range(const Problem& problem, const Outcome& outcome) {
  const bool is_predicted_step = outcome.feasible() && !outcome.is_measured && problem.objective() == Objective::kStep;
  return is_predicted_step ? step_range(problem.machine(), outcome.score) : std::nullopt;
}

double imbalance(const Machine& machine, const Score& score) {
  double sum = 0.0, most = 0.0;
  int working = 0;
  for (const DeviceId id : machine.device_ids()) {
    const double busy_s = to_seconds(score.devices[index(id)].busy) / machine.device(id).lanes;
    if (busy_s <= 0.0) continue;
    sum += busy_s;
    most = std::max(most, busy_s);
    ++working;
  }
  return working > 0 ? most * working / sum - 1.0 : 0.0;
}

double joules_per_step(const Machine& machine, const Score& score) {
  double joules = 0.0;
  const double step_s = to_seconds(score.step_time);
  for (const DeviceId id : machine.device_ids()) {
    const Device& device = machine.device(id);
    const double busy_s = to_seconds(score.devices[index(id)].busy) / device.lanes;
    joules += busy_s * device.watts + (step_s - busy_s) * device.idle_watts;
  }
  return joules;
}

FusedCount count_fused(const Plan& plan) {
  FusedCount count{plan.fusions.size(), 0};
  for (const auto& group : plan.fusions) count.ops += group.size();
  return count;
}

std::vector<std::size_t> ops_per_device(const Problem& problem, const Plan& plan) {
  std::vector<std::size_t> counts(problem.machine().num_devices());
  for (const DeviceId device : plan.device_of) ++counts[index(device)];
  return counts;
}

double MemoryUse::share() const {
  if (capacity > 0) return static_cast<double>(peak) / static_cast<double>(capacity);
  return peak > 0 ? HUGE_VAL : 0.0;
}

MemoryUse memory_use(const Problem& problem, const Score& score, DeviceId device) {
  const Machine& machine = problem.machine();
  const int pool = machine.pool_of(device);
  if (pool < 0) return {machine.device(device).name, score.devices[index(device)].peak, problem.capacity(device)};
  const auto p = static_cast<std::size_t>(pool);
  return {machine.pools()[p].name, score.pool_peaks[p], problem.pool_capacity(pool)};
}

MemoryUse fullest_memory_use(const Problem& problem, const Score& score) {
  MemoryUse fullest;
  for (const DeviceId device : problem.machine().device_ids()) {
    MemoryUse use = memory_use(problem, score, device);
    if (fullest.name.empty() || use.share() > fullest.share()) fullest = std::move(use);
  }
  return fullest;
}

}  // namespace berth

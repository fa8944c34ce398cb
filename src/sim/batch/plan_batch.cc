// SPDX-License-Identifier: Apache-2.0
#include "sim/batch/plan_batch.h"

#include <algorithm>

#include "base/check.h"

namespace berth {

std::size_t PlanBatch::num_ops() const {
  if (!base.empty()) return base.size();
  return size == 0 ? 0 : devices.size() / size;
}

bool PlanBatch::has_own_priorities() const {
  const std::size_t given = priorities.size() + small_priorities.size();
  return given > 0 && given != num_ops();
}

PlanBatch PlanBatch::part(std::size_t first, std::size_t count) const {
  const std::size_t ops = num_ops();
  PlanBatch part = *this;
  part.size = count;
  if (base.empty()) {
    part.devices = devices.subspan(first * ops, count * ops);
  } else {
    part.first_move = first_move.subspan(first, count + 1);
  }
  if (!has_own_priorities()) return part;
  if (!priorities.empty()) part.priorities = priorities.subspan(first * ops, count * ops);
  if (!small_priorities.empty()) part.small_priorities = small_priorities.subspan(first * ops, count * ops);
  return part;
}

void PlanBatch::read(std::size_t i, Plan& plan) const {
  const std::size_t ops = num_ops();
  const auto row = base.empty() ? devices.subspan(i * ops, ops) : base;
  plan.device_of.resize(ops);
  std::transform(row.begin(), row.end(), plan.device_of.begin(), [](std::uint8_t device) { return DeviceId{device}; });
  if (!base.empty()) {
    for (std::uint32_t k = first_move[i]; k < first_move[i + 1]; ++k) {
      plan.device_of[moves[k].op] = DeviceId(static_cast<std::uint16_t>(moves[k].device));
    }
  }
  const std::size_t first = has_own_priorities() ? i * ops : 0;
  const auto assign = [&](const auto& given) {
    const auto begin = given.begin() + static_cast<std::ptrdiff_t>(first);
    plan.priority.assign(begin, begin + static_cast<std::ptrdiff_t>(given.empty() ? 0 : ops));
  };
  if (small_priorities.empty()) {
    assign(priorities);
  } else {
    assign(small_priorities);
  }
  plan.fusions.clear();
}

void GatheredPlans::add(const Plan& plan) {
  BERTH_CHECK(plan.fusions.empty());
  for (const DeviceId device : plan.device_of) devices_.push_back(static_cast<std::uint8_t>(device));
  ++size_;
  if (plan.priority.empty() && priorities_.empty()) return;
  priorities_.resize((size_ - 1) * plan.device_of.size());  // those without priorities have zeros
  priorities_.insert(priorities_.end(), plan.priority.begin(), plan.priority.end());
  priorities_.resize(size_ * plan.device_of.size());
}

void GatheredPlans::clear() {
  size_ = 0;
  devices_.clear();
  priorities_.clear();
}

void BatchScores::resize(std::size_t plans) {
  step_time.resize(plans);
  over.resize(plans);
  peaks.resize(plans * num_places);
}

void BatchScores::append(const BatchScores& others) {
  num_places = others.num_places;
  step_time.insert(step_time.end(), others.step_time.begin(), others.step_time.end());
  over.insert(over.end(), others.over.begin(), others.over.end());
  peaks.insert(peaks.end(), others.peaks.begin(), others.peaks.end());
}

void BatchScores::set(std::size_t i, const Score& score) {
  step_time[i] = score.step_time;
  over[i] = score.overflow ? score.overflow->over : 0;
  Bytes* place = peaks.data() + i * num_places;
  for (const DeviceUse& device : score.devices) *place++ = device.peak;
  std::copy(score.pool_peaks.begin(), score.pool_peaks.end(), place);
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include "plan/refine/picks.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "machine/device_set.h"
#include "plan/search/unloaded_times.h"

namespace berth {
namespace {

constexpr double kAnyGroup = 0.3;   // share of groups that are picked whatever their work
constexpr double kLeastIdle = 0.1;  // share of idle time that every device is taken to have
constexpr int kMostNeighbours = 4;  // looked at for a device

// How fast each device does all work it may do, relative to the fastest device for every op.
std::vector<double> device_speeds(const Problem& problem) {
  const std::size_t devices = problem.machine().num_devices();
  std::vector<double> busy(devices, 0.0), least(devices, 0.0), speeds;
  for (const OpId op : problem.graph().ops()) {
    const DeviceSet allowed = problem.allowed(op);
    const auto fastest = static_cast<double>(least_time(problem, op));
    for (DeviceSet set = allowed; set != 0; set &= set - 1) {
      const auto device = DeviceId(std::countr_zero(set));
      busy[index(device)] += static_cast<double>(problem.duration(op, device));
      least[index(device)] += fastest;
    }
  }
  for (std::size_t i = 0; i < devices; ++i) speeds.push_back(std::max(busy[i] > 0 ? least[i] / busy[i] : 0.0, 0.01));
  return speeds;
}

}  // namespace

Picks::Picks(const Problem& problem, Rng rng)
    : problem_(problem), rng_(rng), speed_(device_speeds(problem)), appeal_(speed_) {}

void Picks::take(const Level& level) {
  level_ = &level;
  work_until_.clear();
  double sum = 0.0;
  for (const std::uint32_t group : level.movable())
    work_until_.push_back(sum += static_cast<double>(level.work(group)));
}

void Picks::look_at(const Score& score) {
  const double step = std::max(static_cast<double>(score.step_time), 1.0);
  for (const DeviceId device : problem_.machine().device_ids()) {
    const double lanes = problem_.machine().device(device).lanes;
    const double idle = 1.0 - static_cast<double>(score.devices[index(device)].busy) / (step * lanes);
    appeal_[index(device)] = speed_[index(device)] * (kLeastIdle + std::max(idle, 0.0));
  }
}

std::uint32_t Picks::group() {
  const auto movable = level_->movable();
  if (work_until_.back() <= 0 || rng_.chance(kAnyGroup)) return movable[rng_.below(movable.size())];
  const auto at = std::ranges::upper_bound(work_until_, rng_.uniform() * work_until_.back());
  return movable[std::min<std::size_t>(static_cast<std::size_t>(at - work_until_.begin()), movable.size() - 1)];
}

DeviceId Picks::device(DeviceSet allowed) {
  double total = 0.0;
  for (DeviceSet set = allowed; set != 0; set &= set - 1)
    total += appeal_[static_cast<std::size_t>(std::countr_zero(set))];
  double left = rng_.uniform() * total;
  DeviceId picked = kNoDevice;
  for (DeviceSet set = allowed; set != 0; set &= set - 1) {
    picked = DeviceId(std::countr_zero(set));
    left -= appeal_[index(picked)];
    if (left < 0) break;
  }
  return picked;
}

DeviceId Picks::device_near(const Draft& draft, std::uint32_t group) {
  const DeviceId own = draft.device_of(*level_, group);
  const auto near = level_->neighbours(group);
  for (int attempt = 0; attempt < kMostNeighbours && !near.empty(); ++attempt) {
    const DeviceId device = draft.device_of(*level_, near[rng_.below(near.size())]);
    if (device != own && (level_->allowed(group) & device_bit(device)) != 0) return device;
  }
  return device(level_->allowed(group) & ~device_bit(own));
}

std::size_t Picks::log_uniform(std::size_t most) {
  return static_cast<std::size_t>(std::exp(rng_.uniform() * std::log(static_cast<double>(most) + 1.0)));
}

}  // namespace berth

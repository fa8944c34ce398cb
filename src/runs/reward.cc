// SPDX-License-Identifier: Apache-2.0
#include "runs/reward.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/units.h"

namespace berth::learn {
namespace {

constexpr std::array<std::string_view, 5> kRewardNames{"time", "sqrt", "log", "inverse", "log-time"};
constexpr std::array<std::string_view, 2> kFailingNames{"constant", "graded"};

// One tick of the simulator's clock. Nothing counts as faster, so that 1 / t is finite and a plan of no time at all
// that does not fit is still worse than one that does.
constexpr double kShortestTime = 1.0 / kPicosecondsPerSecond;

constexpr double kMostOverflow = 4.0;  // beyond five times the memory all plans are equally bad

template <typename Kind, std::size_t n>
std::optional<Kind> kind_from(const std::array<std::string_view, n>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Kind>(found - names.begin());
}

// These two are written so that not-a-number counts as the worst.
double within_clock(double time_s) {
  if (!(time_s < kLongestTime)) return kLongestTime;
  return std::max(time_s, kShortestTime);
}

double within_memories(double overflow) { return overflow < kMostOverflow ? std::max(overflow, 0.0) : kMostOverflow; }

double time_that_counts(const RewardRule& rule, const Measurement& measurement) {
  const double time_s = within_clock(measurement.time_s);
  if (measurement.feasible) return time_s;
  if (rule.failing == FailingKind::kConstant) return within_clock(rule.failing_s);
  return time_s * (2.0 + 4.0 * within_memories(measurement.overflow));
}

}  // namespace

std::string_view name_of(RewardKind kind) { return kRewardNames[static_cast<std::size_t>(kind)]; }
std::optional<RewardKind> reward_from_name(std::string_view name) { return kind_from<RewardKind>(kRewardNames, name); }

std::string_view name_of(FailingKind kind) { return kFailingNames[static_cast<std::size_t>(kind)]; }
std::optional<FailingKind> failing_from_name(std::string_view name) {
  return kind_from<FailingKind>(kFailingNames, name);
}

double reward_of(const RewardRule& rule, const Measurement& measurement) {
  const double time_s = time_that_counts(rule, measurement);
  switch (rule.kind) {
    case RewardKind::kTime:
      return -time_s;
    case RewardKind::kSqrt:
      return -std::sqrt(time_s);
    case RewardKind::kLog:
      return -std::log1p(time_s);
    case RewardKind::kInverse:
      return 1.0 / time_s;
    case RewardKind::kLogTime:
      return -std::log(time_s);
  }
  return -time_s;
}

}  // namespace berth::learn

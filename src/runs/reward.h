// SPDX-License-Identifier: Apache-2.0
// What a measured plan is worth to a policy, and what is compared with it: rewards, the failing signal, the baseline.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace berth::learn {

// What came of one plan.
struct Measurement {
  double time_s = 0.0;  // of the objective; also for a plan that does not fit
  bool feasible = true;
  double overflow = 0.0;  // bytes over the capacity of the fullest device, as a share of that capacity; 0 if it fits
};

// -t, -sqrt(t), -log(1 + t), 1 / t, -log(t)
enum class RewardKind : std::uint8_t { kTime, kSqrt, kLog, kInverse, kLogTime };
std::string_view name_of(RewardKind kind);
std::optional<RewardKind> reward_from_name(std::string_view name);

// What stands for the time of a plan that does not fit in memory.
enum class FailingKind : std::uint8_t {
  kConstant,  // `failing_s`, as in the papers
  kGraded,    // its own time, twice, and more the more it is over: says which way is out
};
std::string_view name_of(FailingKind kind);
std::optional<FailingKind> failing_from_name(std::string_view name);

struct RewardRule {
  RewardKind kind = RewardKind::kSqrt;
  FailingKind failing = FailingKind::kGraded;
  double failing_s = 100.0;
  bool operator==(const RewardRule&) const = default;
};

// Larger is better. Finite for every measurement.
double reward_of(const RewardRule& rule, const Measurement& measurement);

// Moving average of rewards: value <- decay * value + (1 - decay) * mean. Begins with the first mean it sees, or with
// the reward of a failing plan, which makes every early success look good.
class Baseline {
 public:
  explicit Baseline(double decay, std::optional<double> start = std::nullopt) : decay_(decay), value_(start) {}
  [[nodiscard]] double value(double mean_now) const { return value_ ? *value_ : mean_now; }
  void add(double mean) { value_ = value_ ? decay_ * *value_ + (1.0 - decay_) * mean : mean; }
  [[nodiscard]] std::optional<double> state() const { return value_; }
  void restore(std::optional<double> state) { value_ = state; }

 private:
  double decay_;
  std::optional<double> value_;
};

}  // namespace berth::learn

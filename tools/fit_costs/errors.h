// SPDX-License-Identifier: Apache-2.0
// Errors of predictions, collected op by op.
#pragma once

#include <cstddef>
#include <vector>

namespace berth::fit {

inline constexpr double kBigOp_s = 20e-6;     // ops above this are judged one by one
inline constexpr double kMaxOpError = 0.30;   // bar for the median error of such an op on a held-out graph
inline constexpr double kMaxSumError = 0.25;  // bar for the sum of a held-out graph

class Errors {
 public:
  void add(double measured_s, double predicted_s);

  [[nodiscard]] std::size_t ops() const { return all_.size(); }
  [[nodiscard]] std::size_t big_ops() const { return big_.size(); }
  [[nodiscard]] double measured_s() const { return measured_s_; }
  [[nodiscard]] double predicted_s() const { return predicted_s_; }
  [[nodiscard]] double sum_error() const { return predicted_s_ / measured_s_ - 1.0; }
  [[nodiscard]] double median() const;      // relative error of an op
  [[nodiscard]] double big_median() const;  // of an op above kBigOp_s

 private:
  std::vector<double> all_, big_;
  double measured_s_ = 0.0, predicted_s_ = 0.0;
};

// Middle value (the upper one of an even count); 0 of nothing.
double median_of(std::vector<double> values);

}  // namespace berth::fit

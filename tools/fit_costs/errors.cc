// SPDX-License-Identifier: Apache-2.0
#include "fit_costs/errors.h"

#include <algorithm>
#include <cmath>

namespace berth::fit {

double median_of(std::vector<double> values) {
  if (values.empty()) return 0.0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void Errors::add(double measured_s, double predicted_s) {
  const double error = std::abs(predicted_s / measured_s - 1.0);
  all_.push_back(error);
  if (measured_s > kBigOp_s) big_.push_back(error);
  measured_s_ += measured_s;
  predicted_s_ += predicted_s;
}

double Errors::median() const { return median_of(all_); }
double Errors::big_median() const { return median_of(big_); }

}  // namespace berth::fit

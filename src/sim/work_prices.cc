// SPDX-License-Identifier: Apache-2.0
#include "sim/work_prices.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace berth {

WorkPrices::WorkPrices(std::vector<double> lanes, std::vector<double> times)
    : lanes_(std::move(lanes)), times_(std::move(times)) {
  const std::size_t classes = lanes_.size();
  prices_.assign(classes, 1.0L / std::accumulate(lanes_.begin(), lanes_.end(), 0.0L));
  const int rounds = classes <= 1 ? 0 : classes == 2 ? 1 : 3;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t a = 0; a < classes; ++a) {
      for (std::size_t b = a + 1; b < classes; ++b) exchange(a, b);
    }
  }
}

long double WorkPrices::priced(std::size_t item, const Prices& prices) const {
  long double least = kNever;
  const double* times = &times_[item * prices.size()];
  for (std::size_t c = 0; c < prices.size(); ++c) {
    if (times[c] < kNever) least = std::min(least, times[c] * prices[c]);
  }
  return least < kNever ? least : 0.0L;
}

long double WorkPrices::priced_work(const Prices& prices) const {
  long double sum = 0.0;
  for (std::size_t item = 0; item < times_.size() / prices.size(); ++item) sum += priced(item, prices);
  return sum;
}

// Splits what classes a and b have together anew, where the work is largest.
void WorkPrices::exchange(std::size_t a, std::size_t b) {
  const long double together = prices_[a] * lanes_[a] + prices_[b] * lanes_[b];
  const auto set = [&](long double share) {
    prices_[a] = together * share / lanes_[a];
    prices_[b] = together * (1 - share) / lanes_[b];
  };
  const double golden = 0.6180339887498949;
  double low = 0.0, high = 1.0;
  for (int i = 0; i < 30; ++i) {
    const double left = high - golden * (high - low), right = low + golden * (high - low);
    set(left);
    const long double work_left = priced_work(prices_);
    set(right);
    if (work_left < priced_work(prices_)) {
      low = left;
    } else {
      high = right;
    }
  }
  set((low + high) / 2);
}

Picoseconds WorkPrices::to_bound(long double work, std::size_t items) {
  constexpr long double kOnce = std::numeric_limits<long double>::epsilon() / 2;
  const long double error = (static_cast<long double>(items) + 16) * kOnce;  // of the sum; of prices and products
  return static_cast<Picoseconds>(std::ceil(work * (1 - error)));
}

}  // namespace berth

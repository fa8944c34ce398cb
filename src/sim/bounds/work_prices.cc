// SPDX-License-Identifier: Apache-2.0
#include "sim/bounds/work_prices.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace berth {
namespace {

constexpr std::size_t kFewClasses = 8;  // pairs of more would take long to exchange three times

long double price_of(double time, long double price) {
  return time < WorkPrices::kNever ? time * price : static_cast<long double>(WorkPrices::kNever);
}

}  // namespace

WorkPrices::WorkPrices(std::vector<double> lanes, std::vector<double> times)
    : lanes_(std::move(lanes)), times_(std::move(times)) {
  const std::size_t classes = lanes_.size();
  prices_.assign(classes, 1.0L / std::accumulate(lanes_.begin(), lanes_.end(), 0.0L));
  const int rounds = classes <= 1 ? 0 : classes == 2 || classes > kFewClasses ? 1 : 3;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t a = 0; a < classes; ++a) {
      for (std::size_t b = a + 1; b < classes; ++b) exchange(a, b);
    }
  }
}

long double WorkPrices::priced(std::size_t item) const {
  long double least = kNever;
  const double* times = &times_[item * prices_.size()];
  for (std::size_t c = 0; c < prices_.size(); ++c) least = std::min(least, price_of(times[c], prices_[c]));
  return least < kNever ? least : 0.0L;
}

Picoseconds WorkPrices::bound() const {
  const std::size_t items = times_.size() / prices_.size();
  long double sum = 0.0;
  for (std::size_t item = 0; item < items; ++item) sum += priced(item);
  return to_bound(sum, items);
}

// Splits what classes a and b have together anew, where the work is largest.
void WorkPrices::exchange(std::size_t a, std::size_t b) {
  const std::size_t classes = prices_.size();
  const long double together = prices_[a] * lanes_[a] + prices_[b] * lanes_[b];
  Prices elsewhere;  // the cheapest of the other classes, by item
  for (std::size_t item = 0; item < times_.size() / classes; ++item) {
    long double least = kNever;
    for (std::size_t c = 0; c < classes; ++c) {
      if (c != a && c != b) least = std::min(least, price_of(times_[item * classes + c], prices_[c]));
    }
    elsewhere.push_back(least);
  }
  const auto set = [&](long double share) {
    prices_[a] = together * share / lanes_[a];
    prices_[b] = together * (1 - share) / lanes_[b];
  };
  const auto work_at = [&](long double share) {
    set(share);
    long double sum = 0.0;
    for (std::size_t item = 0; item < elsewhere.size(); ++item) {
      const double* times = &times_[item * classes];
      const long double least =
          std::min({elsewhere[item], price_of(times[a], prices_[a]), price_of(times[b], prices_[b])});
      if (least < kNever) sum += least;
    }
    return sum;
  };
  const long double golden = 0.6180339887498949L;
  long double low = 0.0, high = 1.0;
  for (int i = 0; i < 30; ++i) {
    const long double left = high - golden * (high - low), right = low + golden * (high - low);
    if (work_at(left) < work_at(right)) {
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

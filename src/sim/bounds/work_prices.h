// SPDX-License-Identifier: Apache-2.0
// Work bound: give every device class a price per unit of its time, prices adding up to one over all lanes. Whatever
// the plan, the priced work of all items, each at its cheapest, must fit into the step (linear programming duality: any
// prices give a valid bound, the best prices give the fractional optimum). Two classes are searched by golden ratio,
// more by exchanging price between pairs, so the bound may fall short of the optimum with three or more classes but
// never exceeds it.
#pragma once

#include <cstddef>
#include <vector>

#include "base/units.h"

namespace berth {

class WorkPrices {
 public:
  static constexpr double kNever = 1e300;  // time of an item on a class that may not take it

  // lanes: per class, summed over its devices; times: [item * classes + class], in lane time.
  WorkPrices(std::vector<double> lanes, std::vector<double> times);

  [[nodiscard]] long double priced(std::size_t item) const;     // at its cheapest
  [[nodiscard]] double price(std::size_t device_class) const {  // per lane
    return static_cast<double>(prices_[device_class]);
  }
  [[nodiscard]] Picoseconds bound() const;  // of all items together
  // Times are whole numbers, so a sum is rounded up, less what rounding may have added to it.
  static Picoseconds to_bound(long double work, std::size_t items);

 private:
  using Prices = std::vector<long double>;  // per class
  void exchange(std::size_t a, std::size_t b);

  std::vector<double> lanes_, times_;
  Prices prices_;  // the best found
};

}  // namespace berth

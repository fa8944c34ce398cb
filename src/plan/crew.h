// SPDX-License-Identifier: Apache-2.0
// Crew: as many walkers as a search has threads, for planners whose parts can run side by side. Each walker has a
// Search of its own; what they find comes together in the planner's. A search limited by evaluations has one walker, so
// that its result depends on the seed alone.
#pragma once

#include <cstddef>
#include <functional>

#include "plan/planner.h"

namespace berth {

class Crew {
 public:
  explicit Crew(Search& search);

  [[nodiscard]] std::size_t size() const { return size_; }

  // Calls body(walker's search, item) for every item below count; walker w takes items w, w + size(), and so on. Every
  // walker begins with the best plan known; the planner's search has the best of all afterwards.
  void for_each(std::size_t count, const std::function<void(Search&, std::size_t item)>& body);

 private:
  Search& search_;
  std::size_t size_;
};

}  // namespace berth

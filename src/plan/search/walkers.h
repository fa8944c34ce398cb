// SPDX-License-Identifier: Apache-2.0
// Walkers: as many walkers as a search has threads, for planners whose parts can run side by side. Each walker has a
// Search of its own; what they find comes together in the planner's. A search limited by evaluations has one walker, so
// that its result depends on the seed alone.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "plan/search/search.h"


namespace berth {

class Walkers {
 public:
  explicit Walkers(Search& search);
  Walkers(Search& search, std::size_t size);  // 1 at least

  [[nodiscard]] std::size_t size() const { return size_; }

  // Calls body(walker's search, item) for every item below count; walker w takes items w, w + size(), and so on. Every
  // walker knows the best plan when it begins; the planner's search has the best of all afterwards. A walker has the
  // same search every time, the first one that of the planner, on the calling thread.
  void for_each(std::size_t count, const std::function<void(Search&, std::size_t item)>& body);

 private:
  Search& search_;
  std::size_t size_;
  std::vector<std::unique_ptr<Search>> others_;  // made when they are needed
};

}  // namespace berth

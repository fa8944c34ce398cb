// SPDX-License-Identifier: Apache-2.0
#include "plan/search/walkers.h"

#include <algorithm>
#include <new>
#include <thread>

namespace berth {

Walkers::Walkers(Search& search)
    : Walkers(search,
           search.budget().evaluations > 0 ? 1 : static_cast<std::size_t>(std::max(search.budget().threads, 1))) {}

Walkers::Walkers(Search& search, std::size_t size) : search_(search), size_(size) {}

void Walkers::for_each(std::size_t count, const std::function<void(Search&, std::size_t item)>& body) {
  const auto walk = [&](Search& search, std::size_t walker) {
    for (std::size_t item = walker; item < count; item += size_) body(search, item);
  };
  const std::size_t helpers = std::min(size_, std::max<std::size_t>(count, 1)) - 1;
  while (others_.size() < helpers) others_.push_back(search_.fork());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < helpers; ++i) {
      others_[i]->follow(search_);
      threads.emplace_back([&walk, &search = *others_[i], i] {
        try {
          walk(search, i + 1);
        } catch (const std::bad_alloc&) {  // the others go on; what this one found is kept
        }
      });
    }
    walk(search_, 0);
  }
  for (std::size_t i = 0; i < helpers; ++i) search_.join(*others_[i]);
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include "plan/crew.h"

#include <algorithm>
#include <new>
#include <thread>

namespace berth {

Crew::Crew(Search& search)
    : search_(search),
      size_(search.budget().evaluations > 0 ? 1 : static_cast<std::size_t>(std::max(search.budget().threads, 1))) {}

void Crew::for_each(std::size_t count, const std::function<void(Search&, std::size_t item)>& body) {
  const auto walk = [&](Search& search, std::size_t walker) {
    for (std::size_t item = walker; item < count; item += size_) body(search, item);
  };
  std::vector<std::unique_ptr<Search>> others;
  for (std::size_t walker = 1; walker < std::min(size_, count); ++walker) others.push_back(search_.fork());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < others.size(); ++i) {
      threads.emplace_back([&walk, &search = *others[i], i] {
        try {
          walk(search, i + 1);
        } catch (const std::bad_alloc&) {  // the others go on; what this one found is kept
        }
      });
    }
    walk(search_, 0);
  }
  for (const auto& other : others) search_.join(*other);
}

}  // namespace berth

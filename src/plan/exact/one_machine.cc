// SPDX-License-Identifier: Apache-2.0
#include "plan/exact/one_machine.h"

#include <algorithm>

namespace berth::exact {

Picoseconds OneMachine::last_end(std::vector<Job>& jobs) {
  std::ranges::sort(jobs, {}, &Job::head);
  Picoseconds now = 0, bound = 0;
  std::size_t next = 0;
  const auto shorter_tail = [](const Job& a, const Job& b) { return a.tail < b.tail; };
  heap_.clear();
  while (next < jobs.size() || !heap_.empty()) {
    if (heap_.empty()) now = std::max(now, jobs[next].head);
    for (; next < jobs.size() && jobs[next].head <= now; ++next) {
      heap_.push_back(jobs[next]);
      std::ranges::push_heap(heap_, shorter_tail);
    }
    Job& job = heap_.front();
    const Picoseconds until = next < jobs.size() ? std::min(now + job.time, jobs[next].head) : now + job.time;
    job.time -= until - now;
    now = until;
    if (job.time > 0) continue;
    bound = std::max(bound, now + job.tail);
    std::ranges::pop_heap(heap_, shorter_tail);
    heap_.pop_back();
  }
  return bound;
}

}  // namespace berth::exact

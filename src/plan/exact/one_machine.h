// SPDX-License-Identifier: Apache-2.0
// OneMachine: how early one machine can be done with jobs that have heads (when they may begin) and tails (what follows
// their end elsewhere), if it may interrupt them: always the free job with the longest tail (Jackson's rule), which is
// optimal. O(jobs log jobs).
#pragma once

#include <vector>

#include "base/units.h"

namespace berth::exact {

struct Job {
  Picoseconds head, time, tail;
};

// A workspace: no allocation once it has seen as many jobs.
class OneMachine {
 public:
  // When the last tail ends; 0 without jobs. Sorts the jobs.
  Picoseconds last_end(std::vector<Job>& jobs);

 private:
  std::vector<Job> heap_;
};

}  // namespace berth::exact

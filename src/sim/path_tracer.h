// SPDX-License-Identifier: Apache-2.0
// PathTracer: the critical path (sim/critical_path.h) of any op of a timeline, not only of the last: the chain of ops,
// transfers and waits without a gap that ends with it.
#pragma once

#include <memory>
#include <vector>

#include "sim/critical_path.h"

namespace berth {

// On a machine whose devices work at the same time. What it is made of must outlive it.
class PathTracer {
 public:
  PathTracer(const Problem& problem, const Plan& plan, const Timeline& timeline);
  ~PathTracer();
  PathTracer(const PathTracer&) = delete;
  PathTracer& operator=(const PathTracer&) = delete;

  // As far back as its steps end after `since`.
  [[nodiscard]] std::vector<CriticalStep> path_to(OpId op, Picoseconds since = 0);

 private:
  class Tracer;
  std::unique_ptr<Tracer> tracer_;
};

}  // namespace berth

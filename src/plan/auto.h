// SPDX-License-Identifier: Apache-2.0
// `auto`, the default: starts from the plans of a few planners (plan/portfolio.h), takes the most promising through all
// levels of refinement (plan/refine/refiner.h), and goes on with the best until the budget is over, on every thread
// (plan/search/walkers.h). Never predicted to be worse than any planner it ran, but for one case (see below); its note
// says which one gave the start and what refinement added. Problems small enough to be scheduled thousands of times a
// second are searched by lists as well (plan/explore/list_search.h); large ones are searched with their short ops joined
// to others, and mended after that (plan/coarsen/condensed.h). With the pipeline objective it is
// plan/pipeline/pipeline_search.h. On a machine that was measured (Machine::accuracy) the best single device is taken
// where nothing is predicted to be faster by 5 %. In the end weights go to their readers wherever the step takes no
// longer for it (plan/weights/settle.h).
//
// Cost: the whole budget, unless the lower bound is reached. The first plan is that of `single`.
// Where it loses: it fuses nothing, and it keeps no more than one plan at a time once it has picked its start.
#pragma once

#include <vector>

#include "plan/planner.h"
#include "plan/portfolio.h"
#include "plan/refine/refiner.h"

namespace berth {

// What `auto` is made of, so that a benchmark can switch parts off.
struct AutoOptions {
  std::vector<Member> members = members_for(Objective::kStep);
  bool streamed_start = true;  // where the accelerators do not hold all weights
  bool list_search = true;     // for small problems
  bool condense = true;        // large problems, of which few plans could be simulated whole
  bool refine = true;
  RefineOptions refinement = {};
};

class AutoPlanner : public Planner {
 public:
  AutoPlanner() = default;
  explicit AutoPlanner(AutoOptions options) : options_(std::move(options)) {}
  Result<Plan> plan(Search& search) override;

 private:
  AutoOptions options_;
};

}  // namespace berth

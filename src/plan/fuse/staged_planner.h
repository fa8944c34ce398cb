// SPDX-License-Identifier: Apache-2.0
// StagedPlanner: one decision after the other. Devices are given; neighbours are fused, then the order is found. Each
// stage keeps what the ones before have decided.
//
// Where it loses: what pays unfused need not pay fused, and who placed did not know what would be fused. Rivals help a
// little: their placements are fused as well when the best fusion is asked for.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plan/fuse/fusion.h"
#include "plan/planner.h"

namespace berth {

class StagedPlanner : public Planner {
 public:
  struct Rival {
    std::string name;
    std::function<std::unique_ptr<Planner>()> make;
  };
  // The placement passes verify().
  StagedPlanner(Plan placement, Stages stages, std::vector<Rival> rivals = {})
      : placement_(std::move(placement)), stages_(stages), rivals_(std::move(rivals)) {}

  // The search's lower bound must be one for fused plans if the stages or the placement fuse. An error for the pipeline
  // objective, which neither order nor fusion changes.
  Result<Plan> plan(Search& search) override;

 private:
  Plan fuse_best(Search& search) const;

  Plan placement_;
  Stages stages_;
  std::vector<Rival> rivals_;
};

}  // namespace berth

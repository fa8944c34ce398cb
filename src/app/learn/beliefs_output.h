// SPDX-License-Identifier: Apache-2.0
// What `berth explain --policy` says, for people and for programs.
#pragma once

#include <optional>
#include <string>

#include "app/learn/trained_run.h"
#include "learn/beliefs.h"

namespace berth::app {

struct PolicyView {
  const Problem& problem;
  const TrainedRun& run;
  const learn::Beliefs& beliefs;
  std::optional<Plan> best_plan;  // of the run, for this very problem
};

// All groups: how large, where, how sure.
std::string beliefs_text(const PolicyView& view);
std::string beliefs_json(const PolicyView& view);
// One op: its group, how likely every device is, what the Placer looked at.
std::string belief_text(const PolicyView& view, OpId op);
std::string belief_json(const PolicyView& view, OpId op);

// What most ops of a group are part of: the longest module path that more than half of them share, else the most
// frequent type of op.
std::string mostly(const Graph& graph, const std::vector<OpId>& ops);

}  // namespace berth::app

// SPDX-License-Identifier: Apache-2.0
// What a machine's devices reach of what is expected of them, by runs of language models.
#pragma once

#include <span>
#include <vector>

#include "serving/plan/serving.h"

namespace berth {

// A step that was timed.
struct ServedStep {
  const llm::Serving* serving = nullptr;
  const llm::Placement* placement = nullptr;
  llm::Phase phase = llm::Phase::kDecode;
  double predicted_s = 0.0, copies_s = 0.0;  // of the step; copies of weights are part of it
  double measured_s = 0.0;
};

// Shares for every device under which predictions are nearest to what was measured, by logarithms; every share that
// leaves what it was costs a little, so that few steps do not say more than they know.
std::vector<ServedShares> fit_served_shares(const Machine& machine, std::span<const ServedStep> steps);

}  // namespace berth

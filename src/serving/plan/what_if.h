// SPDX-License-Identifier: Apache-2.0
// What another machine or another cache would give: each question is the same search over again with one thing changed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "serving/plan/search.h"

namespace berth::llm {

struct WhatIf {
  std::string change;  // "1 GiB more on gpu0"
  bool fits = false;
  Bytes over = 0;  // what does not fit, of all devices together
  double decode_s = 0.0, prefill_s = 0.0, request_s = 0.0;
  std::shared_ptr<const Serving> serving;  // with the change
  Placement placement;                     // which all this is said of
};

// `ours` is the plan for the machine as it is: where it can stay, no answer is worse than it.
std::vector<WhatIf> ask_what_ifs(const std::shared_ptr<const Model>& model,
                                 const std::shared_ptr<const Machine>& machine, const ServingOptions& options,
                                 const Placement& ours);

}  // namespace berth::llm

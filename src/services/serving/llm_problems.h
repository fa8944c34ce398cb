// SPDX-License-Identifier: Apache-2.0
// What is wrong with an answer, or slower than it could be: on which device, and what to do about it.
#pragma once

#include <string>
#include <vector>

#include "services/serving/llm.h"

namespace berth {

struct LlmProblem {
  std::string where;   // a device; "" where it is the whole machine
  std::string what;    // "lacks 3.20 GiB"
  std::string remedy;  // "take --ctx 8192"
};
std::vector<LlmProblem> problems_of(const LlmAnswer& answer);

// "gpu0 lacks 3.20 GiB: take --ctx 8192"
std::string line_of(const LlmProblem& problem);

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
// What runs of plans gave, for people.
#pragma once

#include <string>

#include "services/serving/llm.h"

namespace berth::app {

// Measured beside predicted, a line per plan, and what the machine learned; "" if nothing was run.
std::string tuned_text(const LlmAnswer& answer);

}  // namespace berth::app

// SPDX-License-Identifier: Apache-2.0
// A language model on a machine, for programs.
#pragma once

#include <string>

#include "services/serving/llm.h"

namespace berth {

std::string llm_json(const LlmAnswer& answer);

}  // namespace berth

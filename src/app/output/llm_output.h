// SPDX-License-Identifier: Apache-2.0
// What `berth llm` says, for people.
#pragma once

#include <string>

#include "services/serving/llm.h"

namespace berth::app {

std::string llm_page(const LlmAnswer& answer);      // one screen
std::string tensor_table(const LlmAnswer& answer);  // one row per tensor

}  // namespace berth::app

// SPDX-License-Identifier: Apache-2.0
// What to paste into a runtime's command line or program for an answer's placement.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "services/serving/llm.h"

namespace berth {

// Flags of llama.cpp, a command line of vLLM, or a device_map for accelerate. An error if the answer is for a runtime
// whose plans may not be plans of this one.
Result<std::string> text_to_paste(const LlmAnswer& answer, llm::Runtime form);

// Single tensors that llama.cpp is told to put elsewhere; none for other runtimes.
struct MovedTensors {
  std::string regex, buffer;
};
std::vector<MovedTensors> moved_tensors(const LlmAnswer& answer);

}  // namespace berth

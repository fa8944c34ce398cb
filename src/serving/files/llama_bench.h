// SPDX-License-Identifier: Apache-2.0
// llama-bench, the program of llama.cpp that times a model: its words for a placement, and what it prints.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "serving/files/llama_flags.h"

namespace berth {

// Flags of a placement as llama-bench takes them, each word by itself: it has a list separated by commas where others
// take one value, so devices and shares are separated by slashes there, and it makes a context as large as a run needs.
std::vector<std::string> bench_words(const LlamaFlags& flags, const RuntimeDevices& devices);

// One timed run: a prompt, an answer, or both, behind so many tokens.
struct BenchSpeed {
  std::int64_t prompt = 0, answer = 0, depth = 0;
  double tokens_per_s = 0.0;  // the median of its repetitions
};
// What `-o json` prints.
Result<std::vector<BenchSpeed>> read_bench_speeds(const std::string& text);

}  // namespace berth

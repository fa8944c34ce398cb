// SPDX-License-Identifier: Apache-2.0
// How often the tokens of somebody's use pick each expert of each layer of a mixture. docs/llm.md describes the file:
// {"format": "berth-routing/1", "layers": [{"layer": 3, "counts": [120, 7, ...]}, ...]}
#pragma once

#include <string>
#include <vector>

#include "serving/model.h"

namespace berth::llm {

struct Routing {
  bool uniform = true;
  std::vector<std::vector<double>> picks;  // by layer: share of tokens that pick each expert; empty without experts
};

Routing uniform_routing(const Config& config);
// Layers that the file leaves out are uniform. The text is hostile.
Result<Routing> read_routing(std::string text, const Config& config);

}  // namespace berth::llm

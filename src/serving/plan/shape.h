// SPDX-License-Identifier: Apache-2.0
// Shape: a placement in few numbers, in the only forms that runtimes can express. Layers stand in blocks: some on the
// CPU, then one block per GPU in some order; of each block the first layers may have their feed-forward tensors on the
// CPU.
#pragma once

#include <vector>

#include "serving/plan/serving.h"

namespace berth::llm {

struct Block {
  DeviceId device = kNoDevice;
  std::int64_t layers = 0;
  std::int64_t moved = 0;  // tensors on the CPU, up, gate and down of one layer after the other: at most 3 per layer
  bool operator==(const Block&) const = default;
};

struct Shape {
  std::int64_t cpu_layers = 0;  // the first ones, or for accelerate the last
  std::vector<Block> blocks;
  bool operator==(const Shape&) const = default;
};

// The numbers must add up to the model's layers. Words go where the runtime puts them, the head behind the last block.
Placement placement_of(const Shape& shape, const Serving& serving);

}  // namespace berth::llm

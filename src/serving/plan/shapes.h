// SPDX-License-Identifier: Apache-2.0
// Shape: a placement in few numbers, in the only forms that runtimes can express. Layers stand in blocks: some on the
// CPU, then one block per GPU in some order; of each block the first layers may have their feed-forward tensors on the
// CPU.
#pragma once

#include <string>
#include <string_view>
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

// What people do today, to be compared with: the rules that runtimes follow by themselves, and one device alone.
struct Rival {
  std::string_view name;
  std::string note;
  Shape shape;
};

// "memory-proportional": layers by the memory of GPUs, as llama.cpp and exo split; as many as fit, the rest on the CPU.
// "layer filling": GPUs to the brim in the machine's order, the rest on the CPU, as ollama and accelerate's sequential.
// "experts on cpu": llama.cpp's --cpu-moe with memory-proportional layers; mixtures only.
// "--fit": what llama.cpp does with flags that leave it open.
// "one device": one per device, whether it fits or not.
std::vector<Rival> rivals(const Serving& serving);

// As many layers on these GPUs, in this order, as fit, each to the brim; what is left goes to the CPU.
Shape filled(const Serving& serving, const std::vector<DeviceId>& order);
// llama.cpp's rule (common/fit.cpp of b21e4de): layers by memory if that fits; else whole layers from the last GPU to
// the first, the rest on the CPU; of a mixture whose other tensors fit, whole layers from the first GPU on, and the
// experts of what is left on the CPU.
Shape fitted(const Serving& serving);
// All layers on these GPUs by their memory; feed-forward tensors move to the CPU until it fits.
Shape with_moved(const Serving& serving, const std::vector<DeviceId>& order, bool move_all);
// Layers by memory, with layers on the CPU until it fits.
Shape proportional(const Serving& serving, const std::vector<DeviceId>& order);

}  // namespace berth::llm

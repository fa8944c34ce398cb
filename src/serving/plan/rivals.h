// SPDX-License-Identifier: Apache-2.0
// What people do today, to be compared with: the rules that runtimes follow by themselves, and one device alone.
#pragma once

#include <string_view>
#include <vector>

#include "serving/plan/shape.h"

namespace berth::llm {

struct Rival {
  std::string_view name;
  std::string note;
  Shape shape;
};

// "memory-proportional": layers by the memory of GPUs, as llama.cpp and exo split; as many as fit, the rest on the CPU.
// "layer filling": GPUs to the brim in the machine's order, the rest on the CPU, as ollama and accelerate's sequential.
// "experts on cpu": llama.cpp's --cpu-moe with memory-proportional layers; mixtures only.
// "one device": one per device, whether it fits or not.
std::vector<Rival> rivals(const Serving& serving);

// As many layers on these GPUs, in this order, as fit, each to the brim; what is left goes to the CPU.
Shape filled(const Serving& serving, const std::vector<DeviceId>& order);
// All layers on these GPUs by their memory; feed-forward tensors move to the CPU until it fits.
Shape with_moved(const Serving& serving, const std::vector<DeviceId>& order, bool move_all);
// Layers by memory, with layers on the CPU until it fits.
Shape proportional(const Serving& serving, const std::vector<DeviceId>& order);

}  // namespace berth::llm

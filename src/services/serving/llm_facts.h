// SPDX-License-Identifier: Apache-2.0
// What there is to say about an answer: what lies on every device, and what a step's time goes to.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "problem/cost/streaming.h"
#include "services/serving/llm.h"

namespace berth {

// What is on a device that the runtime uses, and what is left of its memory.
struct LlmDeviceUse {
  DeviceId device;
  Bytes weights = 0, cache = 0;
  Bytes runtime = 0;   // reserved there, room for copies, and activations where it computes
  Bytes capacity = 0;  // of its memory
  Bytes free = 0;      // of its memory, or of the memory that it shares; below 0: so much is missing
  std::vector<std::int64_t> layers = {}, feed_forwards = {};  // that are at home here; parts of layers from elsewhere
};
std::vector<LlmDeviceUse> device_uses(const LlmAnswer& answer);

enum class StepBound : std::uint8_t { kMemory, kArithmetic, kLinks, kCopies };

// What one step's time goes to, as shares of it.
struct StepLimits {
  StepBound bound = StepBound::kMemory;
  std::vector<std::pair<DeviceId, double>> devices;  // the busiest first
  double links = 0.0, copies = 0.0;                  // weights copied to a GPU
};
StepLimits step_limits(const LlmAnswer& answer, llm::Phase phase);

// Ops of one kind on one device together: what they would take at the full peak and the full bandwidth
// (problem/cost/streaming.h says what is reached of both).
struct StepPart {
  DeviceId device;
  std::string_view table;  // "NVIDIA cards"
  StreamedType type;
  double arithmetic_s = 0.0, traffic_s = 0.0;
  std::int64_t ops = 0;
};
std::vector<StepPart> step_parts(const LlmAnswer& answer, llm::Phase phase);

}  // namespace berth

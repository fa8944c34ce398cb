// SPDX-License-Identifier: Apache-2.0
// Which experts of which layers of a mixture lie on which card, and which on the CPU, by how often they are picked.
// Everything else of the model is on the GPUs by their memory; what is left of that goes to experts, the most picked
// first: at home with their layer if there is room, else on the fastest other card. No runtime loads such a plan;
// -ncmoe and -ot move all experts of a layer. Decode is simulated as a chain, since runtimes compute the devices of a
// layer one after the other. Where it loses: on uniform routing, where any experts are as good as any others.
#pragma once

#include <vector>

#include "serving/files/routing.h"
#include "serving/plan/serving.h"

namespace berth::llm {

struct ExpertPlan {
  bool uniform = true;
  std::vector<std::vector<DeviceId>> device_of;  // by layer and expert; empty where there are none
  double decode_s = 0.0;                         // of a token by this plan ...
  double by_layers_s = 0.0;                      // ... and with whole layers' experts in the same memory (-ncmoe)
  std::int64_t layers_on_cpu = 0;                // by that: N of -ncmoe
  std::vector<Bytes> bytes;                      // of experts, by device
  double picked_on_gpus = 0.0;                   // share of picks that find their expert on a GPU
};

// An error for models without experts, and where even without experts the GPUs do not hold the rest.
Result<ExpertPlan> plan_experts(const Serving& serving, const Routing& routing);

}  // namespace berth::llm

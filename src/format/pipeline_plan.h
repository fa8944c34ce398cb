// SPDX-License-Identifier: Apache-2.0
// PipelinePlan: how several devices train one model. Plain data; docs/formats.md (`berth-pipeline/1`) says what it
// means.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace berth {

enum class ActionKind : std::uint8_t {
  kForward,
  kBackward,        // both of the next two, one after the other
  kBackwardInput,   // gradients that earlier stages wait for
  kBackwardWeight,  // gradients of weights that nothing but the update waits for
};
std::string_view name_of(ActionKind kind);

struct PipelineAction {
  ActionKind kind = ActionKind::kForward;
  std::uint32_t stage = 0, microbatch = 0;
  bool operator==(const PipelineAction&) const = default;
};

struct PipelineStage {
  std::vector<std::string> layers = {};    // names, in the order of the forward pass
  std::vector<DeviceId> devices = {};      // one, or the stage's replicas
  bool recompute = false;
  bool operator==(const PipelineStage&) const = default;
};

struct PipelinePlan {
  std::vector<PipelineStage> stages = {};  // in the order of the forward pass
  std::uint32_t microbatches = 1;
  std::string schedule = {};                               // the name of the rule that made the lists
  std::vector<std::vector<PipelineAction>> actions = {};   // by DeviceId; empty where a device has no stage
  bool operator==(const PipelinePlan&) const = default;
};

}  // namespace berth

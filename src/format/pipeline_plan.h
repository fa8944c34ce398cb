// SPDX-License-Identifier: Apache-2.0
// PipelinePlan: how several devices train one model. Plain data; docs/formats.md (`berth-pipeline/1`) says what it
// means.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "machine/machine.h"

namespace berth {

enum class ActionKind : std::uint8_t {
  kForward,
  kBackward,        // both of the next two as one
  kBackwardInput,   // gradients that earlier stages wait for
  kBackwardWeight,  // gradients that nothing but updates of the same layer wait for
};
std::string_view name_of(ActionKind kind);
std::optional<ActionKind> action_kind_from_name(std::string_view name);

struct PipelineAction {
  ActionKind kind = ActionKind::kForward;
  std::uint32_t stage = 0, microbatch = 0;
  bool operator==(const PipelineAction&) const = default;
};

struct PipelineStage {
  std::vector<std::string> layers = {};  // names, in the order of the forward pass
  std::vector<DeviceId> devices = {};    // one, or the stage's replicas
  bool recompute = false;
  bool operator==(const PipelineStage&) const = default;
};

struct PipelinePlan {
  std::vector<PipelineStage> stages = {};  // in the order of the forward pass
  std::uint32_t microbatches = 1;
  std::string schedule = {};                              // the name of the rule that made the lists
  std::vector<std::vector<PipelineAction>> actions = {};  // by DeviceId; empty where a device has no stage
  bool operator==(const PipelinePlan&) const = default;
};

inline constexpr std::uint32_t kMostMicrobatches = 4096;
inline constexpr std::size_t kMostStages = 1024;

// Whether every microbatch goes through every stage once, on one of its devices, each action after those that it needs
// of its own stage. That lists of different devices do not wait for each other in a circle, a timeline has to say.
Status check_lists(const PipelinePlan& plan, const Machine& machine);

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include "format/pipeline_plan.h"

#include <algorithm>
#include <array>

namespace berth {
namespace {

constexpr std::array<std::string_view, 4> kActionNames{"forward", "backward", "backward-input", "backward-weight"};

std::string text_of(const PipelineAction& action) {
  return fmt::format("the {} of microbatch {} in stage {}", name_of(action.kind), action.microbatch, action.stage);
}

// What has been done of a microbatch in a stage, and where.
struct PipelineProgress {
  std::uint8_t done = 0;  // bit per ActionKind
  DeviceId device = kNoDevice;
  [[nodiscard]] bool has(ActionKind kind) const { return (done >> static_cast<unsigned>(kind) & 1U) != 0; }
};

bool may_follow(const PipelineProgress& progress, ActionKind kind) {
  switch (kind) {
    case ActionKind::kForward:
      return true;
    case ActionKind::kBackward:
      return progress.has(ActionKind::kForward) && !progress.has(ActionKind::kBackwardInput);
    case ActionKind::kBackwardInput:
      return progress.has(ActionKind::kForward) && !progress.has(ActionKind::kBackward);
    case ActionKind::kBackwardWeight:
      return progress.has(ActionKind::kBackwardInput);
  }
  return false;
}

Status follow(PipelineProgress& progress, const PipelineAction& action, DeviceId device,
              const std::string& device_name) {
  if (progress.device != kNoDevice && progress.device != device) {
    return bad_input("{} is on '{}', but other actions of it are on another device", text_of(action), device_name);
  }
  if (progress.has(action.kind)) return bad_input("{} is listed twice", text_of(action));
  if (!may_follow(progress, action.kind)) {
    return bad_input("{} is on '{}' before what it needs of its own stage, or twice in two forms", text_of(action),
                     device_name);
  }
  progress.device = device;
  progress.done = static_cast<std::uint8_t>(progress.done | 1U << static_cast<unsigned>(action.kind));
  return {};
}

Status check_stage_devices(const PipelinePlan& plan, const Machine& machine) {
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    std::vector<DeviceId> devices = plan.stages[s].devices;
    if (devices.empty()) return bad_input("stage {} has no device", s);
    std::ranges::sort(devices);
    if (std::ranges::adjacent_find(devices) != devices.end()) return bad_input("stage {} has a device twice", s);
    if (index(devices.back()) >= machine.num_devices()) return bad_input("stage {} has a device that is not there", s);
  }
  return {};
}

}  // namespace

std::string_view name_of(ActionKind kind) { return kActionNames[static_cast<std::size_t>(kind)]; }

std::optional<ActionKind> action_kind_from_name(std::string_view name) {
  const auto found = std::ranges::find(kActionNames, name);
  if (found == kActionNames.end()) return std::nullopt;
  return static_cast<ActionKind>(found - kActionNames.begin());
}

Status check_lists(const PipelinePlan& plan, const Machine& machine) {
  if (plan.stages.empty()) return bad_input("there are no stages");
  if (plan.microbatches < 1 || plan.microbatches > kMostMicrobatches) {
    return bad_input("{} microbatches are not between 1 and {}", plan.microbatches, kMostMicrobatches);
  }
  if (plan.stages.size() > kMostStages) return bad_input("{} stages are more than {}", plan.stages.size(), kMostStages);
  BERTH_RETURN_IF_ERROR(check_stage_devices(plan, machine));
  std::vector<PipelineProgress> progress(plan.stages.size() * plan.microbatches);
  for (std::size_t d = 0; d < plan.actions.size(); ++d) {
    for (const PipelineAction& action : plan.actions[d]) {
      if (action.stage >= plan.stages.size()) return bad_input("there is no stage {}", action.stage);
      if (action.microbatch >= plan.microbatches) return bad_input("there is no microbatch {}", action.microbatch);
      const auto& devices = plan.stages[action.stage].devices;
      const std::string& name = machine.device(DeviceId(d)).name;
      if (std::ranges::find(devices, DeviceId(d)) == devices.end()) {
        return bad_input("{} is on '{}', which is no device of that stage", text_of(action), name);
      }
      const std::size_t at = std::size_t{action.stage} * plan.microbatches + action.microbatch;
      BERTH_RETURN_IF_ERROR(follow(progress[at], action, DeviceId(d), name));
    }
  }
  for (std::size_t at = 0; at < progress.size(); ++at) {
    if (progress[at].has(ActionKind::kBackward) || progress[at].has(ActionKind::kBackwardWeight)) continue;
    return bad_input("microbatch {} does not go through all of stage {}", at % plan.microbatches,
                     at / plan.microbatches);
  }
  return {};
}

}  // namespace berth

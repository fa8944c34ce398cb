// SPDX-License-Identifier: Apache-2.0
#include "pipeline/schedules/schedules.h"

#include <algorithm>
#include <array>

#include "pipeline/schedules/rules.h"

namespace berth::pipeline {
namespace {

std::uint32_t place_in_line(const ScheduleShape&, std::uint32_t stage) { return stage; }
std::uint32_t place_in_turn(const ScheduleShape& shape, std::uint32_t stage) { return stage % shape.places; }
std::uint32_t place_in_v(const ScheduleShape& shape, std::uint32_t stage) {
  return stage < shape.places ? stage : 2 * shape.places - 1 - stage;
}

bool takes_any(const ScheduleShape&) { return true; }
bool takes_whole_groups(const ScheduleShape& shape) {
  return shape.chunks > 1 && shape.microbatches % shape.places == 0;
}

constexpr std::array kRules{
    ScheduleRule{"gpipe", "all forward passes, then all backward passes", "Huang et al., NeurIPS 2019", 1, false,
                 place_in_line, takes_any, gpipe_lists},
    ScheduleRule{"1f1b", "one forward, one backward in turn", "Narayanan et al., SOSP 2019; Fan et al., PPoPP 2021", 1,
                 false, place_in_line, takes_any, one_f_one_b_lists},
    ScheduleRule{"interleaved-1f1b", "1f1b with several stages a device, in turn", "Narayanan et al., SC 2021", 0,
                 false, place_in_turn, takes_whole_groups, interleaved_lists},
    ScheduleRule{"zb-h1", "1f1b with gradients of weights put off", "Qi et al., ICLR 2024", 1, true, place_in_line,
                 takes_any, zb_h1_lists},
    ScheduleRule{"zb-v", "two stages a device, down and back, with gradients of weights put off",
                 "Qi et al., NeurIPS 2024", 2, true, place_in_v, takes_any, zb_v_lists},
};

}  // namespace

std::span<const ScheduleRule> schedule_rules() { return kRules; }

const ScheduleRule* find_schedule_rule(std::string_view name) {
  const auto found = std::ranges::find(kRules, name, &ScheduleRule::name);
  return found == kRules.end() ? nullptr : found;
}

Lists deal(const std::vector<PipelineAction>& list, std::size_t replicas) {
  Lists dealt(replicas);
  for (const PipelineAction& action : list) dealt[action.microbatch % replicas].push_back(action);
  return dealt;
}

std::uint32_t most_live(std::span<const PipelineAction> list, std::uint32_t stage) {
  std::uint32_t live = 0, most = 0;
  for (const PipelineAction& action : list) {
    if (action.stage != stage) continue;
    if (action.kind == ActionKind::kForward) most = std::max(most, ++live);
    if (action.kind == ActionKind::kBackward || action.kind == ActionKind::kBackwardWeight) --live;
  }
  return most;
}

}  // namespace berth::pipeline

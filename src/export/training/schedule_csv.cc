// SPDX-License-Identifier: Apache-2.0
#include "export/training/schedule_csv.h"

#include <algorithm>

#include "base/text.h"

namespace berth {
namespace {

char letter_of(ActionKind kind) {
  switch (kind) {
    case ActionKind::kForward:
      return 'F';
    case ActionKind::kBackward:
      return 'B';
    case ActionKind::kBackwardInput:
      return 'I';
    case ActionKind::kBackwardWeight:
      break;
  }
  return 'W';
}

}  // namespace

std::string schedule_csv(const PipelineLane& lane) {
  std::string text;
  for (const std::vector<PipelineAction>& actions : lane.actions) {
    std::vector<std::string> words;
    for (const PipelineAction& action : actions) {
      words.push_back(fmt::format("{}{}{}", action.stage, letter_of(action.kind), action.microbatch));
    }
    text += join(words, ",") + "\n";
  }
  return text;
}

std::vector<std::string> schedule_notes(const PipelinePlan& plan) {
  bool splits_first = false, runs_thrice = false;
  for (const std::vector<PipelineAction>& actions : plan.actions) {
    for (const PipelineAction& action : actions) {
      if (action.kind != ActionKind::kBackwardInput) continue;
      splits_first = splits_first || action.stage == 0;
      runs_thrice = runs_thrice || (plan.stages[action.stage].recompute && action.stage > 0);
    }
  }
  std::vector<std::string> notes;
  if (splits_first)
    notes.emplace_back("torch runs all of the backward pass of stage 0 in its actions W, and nothing in its I");
  if (runs_thrice) {
    notes.emplace_back(
        "where the backward pass of a stage with recomputation is split, torch runs its forward pass again in "
        "I and once more in W");
  }
  return notes;
}

}  // namespace berth

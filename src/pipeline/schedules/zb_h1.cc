// SPDX-License-Identifier: Apache-2.0
// ZB-H1: 1F1B with the backward pass in two parts. Gradients for the stage before come first; those of weights wait, in
// stage s (from 0) for s microbatches, and fill the end. Source: Qi et al., "Zero Bubble Pipeline Parallelism", ICLR
// 2024. With equal parts of forward, input and weight the bubble is (p - 1) / (3m + p - 1); no stage holds more than
// the p microbatches of 1F1B's first.
#include <algorithm>

#include "pipeline/schedules/rules.h"

namespace berth::pipeline {

Lists zb_h1_lists(const ScheduleShape& shape) {
  Lists lists(shape.places);
  for (std::uint32_t stage = 0; stage < shape.places; ++stage) {
    const std::uint32_t ahead = std::min(shape.microbatches, shape.places - stage - 1);
    std::vector<PipelineAction>& list = lists[stage];
    for (std::uint32_t m = 0; m < ahead; ++m) list.push_back({ActionKind::kForward, stage, m});
    std::uint32_t weights = 0;
    for (std::uint32_t m = 0; m < shape.microbatches; ++m) {
      if (m + ahead < shape.microbatches) list.push_back({ActionKind::kForward, stage, m + ahead});
      list.push_back({ActionKind::kBackwardInput, stage, m});
      if (m >= stage) list.push_back({ActionKind::kBackwardWeight, stage, weights++});
    }
    while (weights < shape.microbatches) list.push_back({ActionKind::kBackwardWeight, stage, weights++});
  }
  return lists;
}

}  // namespace berth::pipeline

// SPDX-License-Identifier: Apache-2.0
// 1F1B: a stage runs as many forward passes as there are stages behind it, then one forward and one backward pass in
// turn, then what is left. Source: Narayanan et al., "PipeDream: Generalized Pipeline Parallelism for DNN Training",
// SOSP 2019, with all microbatches of a step before the update, as PipeDream-Flush and DAPPLE (Fan et al., PPoPP 2021)
// have it. Bubble as GPipe; stage s of p holds min(m, p - s) microbatches.
#include <algorithm>

#include "pipeline/schedules/rules.h"

namespace berth::pipeline {

Lists one_f_one_b_lists(const ScheduleShape& shape) {
  Lists lists(shape.places);
  for (std::uint32_t stage = 0; stage < shape.places; ++stage) {
    const std::uint32_t ahead = std::min(shape.microbatches, shape.places - stage - 1);
    std::vector<PipelineAction>& list = lists[stage];
    for (std::uint32_t m = 0; m < ahead; ++m) list.push_back({ActionKind::kForward, stage, m});
    for (std::uint32_t m = 0; m < shape.microbatches; ++m) {
      if (m + ahead < shape.microbatches) list.push_back({ActionKind::kForward, stage, m + ahead});
      list.push_back({ActionKind::kBackward, stage, m});
    }
  }
  return lists;
}

}  // namespace berth::pipeline

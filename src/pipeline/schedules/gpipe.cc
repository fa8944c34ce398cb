// SPDX-License-Identifier: Apache-2.0
// GPipe: all forward passes, then all backward passes. Source: Huang et al., "GPipe: Efficient Training of Giant Neural
// Networks using Pipeline Parallelism", NeurIPS 2019. Bubble (p - 1) / (m + p - 1); every stage holds all m
// microbatches.
#include "pipeline/schedules/rules.h"

namespace berth::pipeline {

Lists gpipe_lists(const ScheduleShape& shape) {
  Lists lists(shape.places);
  for (std::uint32_t stage = 0; stage < shape.places; ++stage) {
    for (const ActionKind kind : {ActionKind::kForward, ActionKind::kBackward}) {
      for (std::uint32_t m = 0; m < shape.microbatches; ++m) lists[stage].push_back({kind, stage, m});
    }
  }
  return lists;
}

}  // namespace berth::pipeline

// SPDX-License-Identifier: Apache-2.0
// Interleaved 1F1B: device d of p has the stages d, p + d, 2p + d, ...; microbatches go through them in groups of p.
// Source: Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM", SC 2021.
// The number of microbatches must be a multiple of p. Bubble (p - 1) / (v m + p - 1) with v stages a device; more
// activations are held than by 1F1B, and v times as much is sent.
#include <algorithm>

#include "pipeline/schedules/rules.h"

namespace berth::pipeline {
namespace {

// The k-th forward, or backward, action of a device: groups of p microbatches, each through one stage after the other.
PipelineAction kth_interleaved(const ScheduleShape& shape, std::uint32_t place, std::uint32_t k, ActionKind kind) {
  const std::uint32_t in_group = k % shape.num_stages();
  const std::uint32_t chunk = in_group / shape.places;
  const std::uint32_t turned = kind == ActionKind::kForward ? chunk : shape.chunks - 1 - chunk;
  return {kind, turned * shape.places + place, k / shape.num_stages() * shape.places + in_group % shape.places};
}

}  // namespace

Lists interleaved_lists(const ScheduleShape& shape) {
  Lists lists(shape.places);
  const std::uint32_t all = shape.microbatches * shape.chunks;
  for (std::uint32_t place = 0; place < shape.places; ++place) {
    const std::uint32_t ahead = std::min(all, (shape.places - place - 1) * 2 + (shape.chunks - 1) * shape.places);
    const auto add = [&](std::uint32_t k, ActionKind kind) {
      lists[place].push_back(kth_interleaved(shape, place, k, kind));
    };
    for (std::uint32_t k = 0; k < ahead; ++k) add(k, ActionKind::kForward);
    for (std::uint32_t k = 0; k < all; ++k) {
      if (k + ahead < all) add(k + ahead, ActionKind::kForward);
      add(k, ActionKind::kBackward);
    }
  }
  return lists;
}

}  // namespace berth::pipeline

// SPDX-License-Identifier: Apache-2.0
#include "export/training/one_f_one_b.h"

#include <algorithm>

namespace berth {
namespace {

struct Interleaving {
  std::uint32_t ranks = 1, stages_per_rank = 1, microbatches = 1;

  [[nodiscard]] std::uint32_t passes() const { return stages_per_rank * microbatches; }
  // The k-th pass of a rank, in either direction.
  [[nodiscard]] PipelineAction action(ActionKind kind, std::uint32_t rank, std::uint32_t k) const {
    const std::uint32_t group = ranks * stages_per_rank;
    const std::uint32_t trip = stages_per_rank == 1 ? 0 : k % group / ranks;
    const std::uint32_t chunk = kind == ActionKind::kForward ? trip : stages_per_rank - 1 - trip;
    const std::uint32_t microbatch = stages_per_rank == 1 ? k : k / group * ranks + k % ranks;
    return {.kind = kind, .stage = chunk * ranks + rank, .microbatch = microbatch};
  }
  [[nodiscard]] std::uint32_t ahead(std::uint32_t rank) const {
    const std::uint32_t behind = ranks - rank - 1;
    const std::uint32_t wanted = stages_per_rank == 1 ? behind : 2 * behind + (stages_per_rank - 1) * ranks;
    return std::min(wanted, passes());
  }
  [[nodiscard]] std::vector<PipelineAction> list(std::uint32_t rank) const {
    std::vector<PipelineAction> actions;
    const std::uint32_t early = ahead(rank);
    for (std::uint32_t k = 0; k < early; ++k) actions.push_back(action(ActionKind::kForward, rank, k));
    for (std::uint32_t k = 0; k < passes(); ++k) {
      if (early + k < passes()) actions.push_back(action(ActionKind::kForward, rank, early + k));
      actions.push_back(action(ActionKind::kBackward, rank, k));
    }
    return actions;
  }
};

}  // namespace

bool is_1f1b(const PipelineLane& lane) {
  if (stage_order(lane) != StageOrder::kLoop) return false;
  const Interleaving order{.ranks = static_cast<std::uint32_t>(lane.ranks.size()),
                           .stages_per_rank = static_cast<std::uint32_t>(lane.rank_of.size() / lane.ranks.size()),
                           .microbatches = static_cast<std::uint32_t>(lane.microbatches.size())};
  if (order.stages_per_rank > 1 && order.microbatches % order.ranks != 0) return false;
  for (std::uint32_t rank = 0; rank < order.ranks; ++rank) {
    if (lane.actions[rank] != order.list(rank)) return false;
  }
  return true;
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include "sim/batch/near_base.h"

#include <algorithm>

#include "sim/batch/loop/first_effect.h"

namespace berth::batch {

double share_saved(const CompactView& problem, const BaseRun& base, const PlanBatch& plans) {
  constexpr std::size_t kSample = 64;
  const std::size_t sampled = std::min(kSample, plans.size);
  const std::uint8_t* at_home = base.times().device;
  std::vector<std::uint8_t> device(at_home, at_home + problem.num_nodes);
  const auto device_of = [&](std::uint32_t node) { return std::uint32_t{device[node]}; };
  const FirstEffect effect(problem, base.times(), device_of);
  double saved = 0;
  for (std::size_t k = 0; k < sampled; ++k) {
    const std::size_t plan = k * plans.size / sampled;
    const auto moves = plans.moves.subspan(plans.first_move[plan], plans.first_move[plan + 1] - plans.first_move[plan]);
    for (const BatchMove& move : moves) device[problem.node_of[move.op]] = static_cast<std::uint8_t>(move.device);
    std::uint32_t first = kNoEffect;
    for (const BatchMove& move : moves) first = std::min(first, effect.of(problem.node_of[move.op]));
    for (const BatchMove& move : moves) device[problem.node_of[move.op]] = at_home[problem.node_of[move.op]];
    saved += base.share_of(moment_before(base.snapshots(), first));
  }
  return sampled == 0 ? 0 : saved / static_cast<double>(sampled);
}

}  // namespace berth::batch

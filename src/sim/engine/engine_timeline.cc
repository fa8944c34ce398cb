// SPDX-License-Identifier: Apache-2.0
// Of the engine: runs of which more than the score is wanted.
#include "sim/engine/engine.h"

namespace berth {

Timeline Engine::run_with_timeline(const Plan& plan) {
  timeline_ = Timeline();
  record_timeline(plan);
  finish_timeline();
  return std::move(timeline_);
}

const Score& Engine::run_with_times(const Plan& plan, std::vector<Picoseconds>& ready, std::vector<Picoseconds>& end) {
  timeline_.ops.clear();
  timeline_.transfers.clear();
  timeline_.op_ready.swap(ready);
  timeline_.op_end.swap(end);
  record_timeline(plan);
  timeline_.op_ready.swap(ready);
  timeline_.op_end.swap(end);
  return score_;
}

void Engine::record_transfer(const Transfer& transfer, Picoseconds start) {
  timeline_.transfers.push_back({TensorId{transfer.tensor}, DeviceId(transfer.from), DeviceId(transfer.to),
                                 hops_[transfer.hop].channel, start, start + transfer.duration, transfer.bytes});
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include "plan/pipeline/stage_load.h"

#include <algorithm>
#include <bit>

namespace berth {

StageLoad::StageLoad(const PipelineModel& model, const StageProblem& stages, Picoseconds limit, bool count_memory)
    : stages_(stages),
      limit_(limit),
      count_memory_(count_memory),
      kinds_(stages.num_kinds()),
      state_(stages.num_blocks(), State::kOutside),
      readers_in_(stages.num_nets(), 0),
      sums_(kinds_) {
  for (const StageKind& kind : stages.kinds)
    lanes_.push_back(model.problem().machine().device(kind.devices.front()).lanes);
  history_.push_back({0, ~std::uint64_t{0} >> (64 - kinds_), 0});
}

bool StageLoad::add(std::uint32_t block) {
  const Added before = history_.back();
  Added now{block, before.possible & stages_.allowed[block], before.resident + stages_.resident[block]};
  for (std::size_t k = 0; k < kinds_; ++k) sums_[k].work += stages_.work[block * kinds_ + k];
  change_nets(block, true);
  state_[block] = State::kInside;
  for (std::size_t k = 0; k < kinds_; ++k) {
    const bool full = count_memory_ && now.resident > stages_.kinds[k].capacity;
    if (full || in_lanes(k, sums_[k].work) + sums_[k].for_good > limit_) now.possible &= ~(std::uint64_t{1} << k);
  }
  history_.push_back(now);
  return now.possible != 0;
}

void StageLoad::remove_last() {
  const std::uint32_t block = history_.back().block;
  history_.pop_back();
  state_[block] = State::kOutside;
  change_nets(block, false);
  for (std::size_t k = 0; k < kinds_; ++k) sums_[k].work -= stages_.work[block * kinds_ + k];
}

// The block is not inside while this runs: nets cost what they cost without it before, and with it after.
void StageLoad::change_nets(std::uint32_t block, bool adding) {
  const Picoseconds sign = adding ? 1 : -1;
  for (const std::uint32_t net : stages_.read_by[block]) {
    const std::uint32_t producer = stages_.producer[net];
    const std::uint32_t without = adding ? readers_in_[net]++ : --readers_in_[net];
    const bool inside = producer != StageProblem::kFixed && state_[producer] == State::kInside;
    if (inside) {
      if (without + 1 == stages_.num_readers[net]) charge(stages_.out_time, net, -sign, false);
    } else if (without == 0) {
      const bool for_good = producer == StageProblem::kFixed || state_[producer] == State::kBelow;
      charge(stages_.in_time, net, sign, for_good);
    }
  }
  for (const std::uint32_t net : stages_.made_by[block]) {
    const std::uint32_t inside = readers_in_[net];
    if (inside > 0) charge(stages_.in_time, net, -sign, false);
    if (inside < stages_.num_readers[net]) charge(stages_.out_time, net, sign, read_below(net));
  }
}

bool StageLoad::read_below(std::uint32_t net) const {
  if (stages_.fixed_reader[net] != 0) return true;
  return std::ranges::any_of(stages_.readers[net],
                             [&](std::uint32_t reader) { return state_[reader] == State::kBelow; });
}

void StageLoad::charge(const std::vector<Picoseconds>& times, std::uint32_t net, Picoseconds sign, bool for_good) {
  const Picoseconds* time = &times[net * kinds_];
  for (std::size_t k = 0; k < kinds_; ++k) {
    sums_[k].transfers += sign * time[k];
    if (for_good) sums_[k].for_good += sign * time[k];
  }
}

}  // namespace berth

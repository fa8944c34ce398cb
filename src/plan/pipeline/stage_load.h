// SPDX-License-Identifier: Apache-2.0
// The load of one stage, per kind of device, while blocks are added to it and removed again.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/pipeline/stage_problem.h"

namespace berth {

class StageLoad {
 public:
  StageLoad(const PipelineModel& model, const StageProblem& stages, Picoseconds limit, bool count_memory);

  // Blocks of earlier stages: what they exchange with this stage crosses for good. Only while the stage is empty.
  void put_below(std::uint32_t block) { state_[block] = State::kBelow; }
  void take_from_below(std::uint32_t block) { state_[block] = State::kOutside; }

  // Adds a block. False if no kind of device can take the stage any more, whatever is added.
  bool add(std::uint32_t block);
  void remove_last();

  // Kinds that may hold all blocks, have the memory, and are not over the limit for good.
  [[nodiscard]] std::uint64_t possible_kinds() const { return history_.back().possible; }
  [[nodiscard]] Picoseconds of_kind(std::size_t kind) const {
    return in_lanes(kind, sums_[kind].work) + sums_[kind].transfers;
  }

 private:
  enum class State : std::uint8_t { kOutside, kBelow, kInside };
  struct Sums {
    Picoseconds work = 0, transfers = 0;
    Picoseconds for_good = 0;  // the part of transfers that no further block saves
  };
  struct Added {
    std::uint32_t block;
    std::uint64_t possible;
    Bytes resident;
  };
  [[nodiscard]] Picoseconds in_lanes(std::size_t kind, Picoseconds work) const {
    return lanes_[kind] == 1 ? work : (work + lanes_[kind] - 1) / lanes_[kind];
  }
  void change_nets(std::uint32_t block, bool adding);
  void charge(const std::vector<Picoseconds>& times, std::uint32_t net, Picoseconds sign, bool for_good);
  [[nodiscard]] bool read_below(std::uint32_t net) const;

  const StageProblem& stages_;
  const Picoseconds limit_;
  const bool count_memory_;
  const std::size_t kinds_;
  std::vector<Picoseconds> lanes_;
  std::vector<State> state_;               // per block
  std::vector<std::uint32_t> readers_in_;  // per net: blocks of the stage that read it
  std::vector<Sums> sums_;                 // per kind
  std::vector<Added> history_;             // with an entry for the empty stage
};

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
// TwoWayCut: the plan with the least sum of op times and transfers on two devices, as a least cut (Stone 1977). Every
// unit is a node between the two devices; a tensor is paid once per destination, by helper nodes.
//
// On a machine without overlap that sum is the step time but for the cost of regions. A cut leaves at least: the
// connected parts of the graph, one more per bridge that it cuts, one more per block that it goes through
// (plan/mincut/bridges.h). That much is part of the network, so that its least cut is a bound of the step time, and the
// step time itself where no block breaks into more pieces and no region waits for itself.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "plan/mincut/bridges.h"
#include "plan/mincut/max_flow.h"
#include "plan/planner.h"

namespace berth {

enum class Side : std::uint8_t { kFree, kFirst, kSecond };

struct CutPlan {
  Plan plan;
  Picoseconds bound =
      0;  // no plan on these two devices that keeps to the sides is faster, if the machine has no overlap
  std::vector<Side> side;      // of every unit; kFree: on neither device
  std::vector<bool> strained;  // units in blocks that the cut goes through: where more regions may be needed
};

class TwoWayCut {
 public:
  TwoWayCut(const Problem& problem, DeviceId first, DeviceId second);

  // Units with a choice.
  [[nodiscard]] const std::vector<std::uint32_t>& free_units() const { return free_; }
  // Time that a unit saves on its better device.
  [[nodiscard]] Picoseconds stake(std::uint32_t unit) const;
  // The least cut that keeps units to the sides given (kFree: any). Nothing if it had to stop.
  [[nodiscard]] std::optional<CutPlan> find(const std::vector<Side>& kept,
                                            const std::function<bool()>& should_stop) const;

 private:
  struct Sent {  // a tensor that costs something when its consumers are elsewhere
    std::uint32_t from;
    std::vector<std::uint32_t> to;
    Picoseconds there, back;  // from the first device to the second, and the other way
  };

  void weigh_units();
  void list_tensors();
  void list_regions();
  void add_units(MaxFlow& flow, const std::vector<Side>& kept) const;
  void add_tensors(MaxFlow& flow) const;
  void add_regions(MaxFlow& flow) const;
  [[nodiscard]] bool is_here(std::uint32_t unit) const { return here_[unit]; }

  const Problem& problem_;
  DeviceId first_, second_;
  std::vector<bool> here_;  // units that may be on one of the two
  std::vector<Picoseconds> on_first_, on_second_;
  std::vector<Side> must_;
  std::vector<std::uint32_t> free_;
  std::vector<Sent> sent_;
  std::vector<UndirectedEdge> bridges_;             // between units
  std::vector<std::vector<std::uint32_t>> blocks_;  // units of every block that has several
  Picoseconds fixed_ = 0;                           // paid in any case
};

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
// The lanes of all devices, with insertion into idle gaps.
#pragma once

#include <vector>

#include "machine/machine.h"
#include "plan/list/idle_gaps.h"

namespace berth {

class DeviceLanes {
 public:
  struct Slot {
    std::size_t lane = 0;
    Picoseconds start = 0;
  };

  explicit DeviceLanes(const Machine& machine) {
    for (const Device& device : machine.devices()) lanes_.emplace_back(static_cast<std::size_t>(device.lanes));
  }

  // Timeless work needs no lane and starts when it is ready.
  [[nodiscard]] Slot earliest(DeviceId device, Picoseconds ready, Picoseconds duration) const {
    if (duration == 0) return {0, ready};
    const std::vector<IdleGaps>& lanes = lanes_[index(device)];
    Slot best{0, lanes[0].earliest(ready, duration)};
    for (std::size_t lane = 1; lane < lanes.size() && best.start > ready; ++lane) {
      const Picoseconds start = lanes[lane].earliest(ready, duration);
      if (start < best.start) best = {lane, start};
    }
    return best;
  }
  void occupy(DeviceId device, const Slot& slot, Picoseconds duration) {
    lanes_[index(device)][slot.lane].occupy(slot.start, duration);
  }

 private:
  std::vector<std::vector<IdleGaps>> lanes_;
};

}  // namespace berth

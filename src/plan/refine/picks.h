// SPDX-License-Identifier: Apache-2.0
// Picks: the chances of a walk. Which group a move begins with, and which device it goes to.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rng.h"
#include "plan/coarsen/level.h"
#include "plan/refine/draft.h"
#include "sim/timeline.h"

namespace berth {

class Picks {
 public:
  Picks(const Problem& problem, Rng rng);

  // Groups are picked from this level until the next one is taken.
  void take(const Level& level);
  // Devices are picked by the idle time that the score says.
  void look_at(const Score& score);

  // Any that may move, most picks by work: crumbs are many and matter little.
  std::uint32_t group();
  // One of these; fast devices with time to spare attract work. kNoDevice if there is none.
  DeviceId device(DeviceSet allowed);
  // The device of a neighbour that is elsewhere, or any other device.
  DeviceId device_near(const Draft& draft, std::uint32_t group);
  // From 1 to `most`, every order of magnitude equally likely.
  std::size_t log_uniform(std::size_t most);

  // How well a device does the work it may do: 1 if none is faster for any op.
  [[nodiscard]] double speed(DeviceId device) const { return speed_[index(device)]; }
  // For all that is not picked here.
  Rng& rng() { return rng_; }

 private:
  const Problem& problem_;
  Rng rng_;
  const Level* level_ = nullptr;
  std::vector<double> work_until_;  // running sum over the movable groups
  std::vector<double> speed_;       // per device
  std::vector<double> appeal_;      // per device: the chance to be picked
};

}  // namespace berth

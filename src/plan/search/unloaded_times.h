// SPDX-License-Identifier: Apache-2.0
// How long an op takes, and how long a tensor is under way between two devices, when nothing else is: what planners
// reckon with before a plan is simulated.
#pragma once

#include "problem/problem.h"

namespace berth {

// Of an op on the fastest device that may run it.
Picoseconds least_time(const Problem& problem, OpId op);

// Over all channels of the route, each rounded as the simulator does; 0 on one device.
Picoseconds unloaded_transfer_time(const Problem& problem, Bytes bytes, DeviceId from, DeviceId to);

// Averages over all ordered pairs of different devices; 0 on a machine with one.
class MeanRoute {
 public:
  explicit MeanRoute(const Problem& problem);
  [[nodiscard]] double transfer_time(Bytes bytes) const {
    return latency_ + static_cast<double>(bytes) * time_per_byte_;
  }
  [[nodiscard]] double control_latency() const { return control_latency_; }

 private:
  double latency_ = 0.0, time_per_byte_ = 0.0, control_latency_ = 0.0;  // picoseconds
};

}  // namespace berth

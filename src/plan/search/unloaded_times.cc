// SPDX-License-Identifier: Apache-2.0
#include "plan/search/unloaded_times.h"

#include <algorithm>
#include <limits>

#include "machine/device_set.h"

namespace berth {

Picoseconds least_time(const Problem& problem, OpId op) {
  Picoseconds least = std::numeric_limits<Picoseconds>::max();
  for (DeviceSet set = problem.allowed(op); set != 0; set &= set - 1)
    least = std::min(least, problem.duration(op, lowest_device(set)));
  return least;
}

Picoseconds unloaded_transfer_time(const Problem& problem, Bytes bytes, DeviceId from, DeviceId to) {
  Picoseconds time = 0;
  for (const std::uint16_t channel : problem.machine().route(from, to)) time += problem.transfer_time(bytes, channel);
  return time;
}

MeanRoute::MeanRoute(const Problem& problem) {
  const Machine& machine = problem.machine();
  const std::size_t devices = machine.num_devices();
  if (devices < 2) return;
  const double pairs = static_cast<double>(devices * (devices - 1));
  for (const DeviceId from : machine.device_ids()) {
    for (const DeviceId to : machine.device_ids()) {
      for (const std::uint16_t id : machine.route(from, to)) {
        const Channel& channel = machine.channels()[id];
        latency_ += channel.latency_s * kPicosecondsPerSecond / pairs;
        time_per_byte_ += kPicosecondsPerSecond / channel.bytes_per_s / pairs;
      }
      if (from != to) control_latency_ += static_cast<double>(problem.control_latency(from, to)) / pairs;
    }
  }
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
// The pipeline objective: samples stream through the machine, every device works on another one, and the slowest device
// sets the pace. Load of a device = time of its ops / lanes (rounded up) + for every tensor that crosses its border,
// once, the time of the route between the device and the host. CPUs pay no transfers. The largest load counts.
// The rules with all choices: docs/simulator.md. Priorities and fusion groups of a plan make no difference.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cost/problem.h"
#include "sim/simulator.h"
#include "sim/timeline.h"

namespace berth {

// The way of every device to the host and back. The host is the first CPU; on a machine without one every device
// exchanges with the device nearest to it (least time for 1 MiB, then lowest id).
class HostRoutes {
 public:
  explicit HostRoutes(const Problem& problem);

  // Channels a tensor takes when it leaves the device or enters it; none for CPUs and on a machine of one device.
  [[nodiscard]] std::span<const std::uint16_t> out(DeviceId device) const;
  [[nodiscard]] std::span<const std::uint16_t> in(DeviceId device) const;

 private:
  const Problem& problem_;
  std::vector<DeviceId> partner_;  // per device; kNoDevice: pays nothing
};

// Time of a tensor of that many bytes on all channels of a route, one after the other.
Picoseconds route_time(const Problem& problem, Bytes bytes, std::span<const std::uint16_t> route);

// Score of a plan by this objective: step_time is the largest load, busy time that of the ops alone, memory the sum of
// resident bytes. The plan must pass verify().
Score pipeline_score(const Problem& problem, const Plan& plan);

std::unique_ptr<Evaluator> make_pipeline_evaluator(const Problem& problem, int threads);

}  // namespace berth

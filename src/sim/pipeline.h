// SPDX-License-Identifier: Apache-2.0
// The pipeline objective: samples stream through the machine, every device works on another one, and what has most to
// do per sample sets the pace. Load of a device = time of its ops / lanes (rounded up) + what it sends and receives;
// load of a link = what it carries. The largest load counts. Accelerators with a way to each other that passes no CPU
// use it, once per destination, and both pay for it. Everything else goes through the host: an accelerator pays its way
// there once, however many devices read the tensor, and each of these its way from there. CPUs pay nothing. The rules
// with all choices: docs/simulator.md. Priorities and fusion groups of a plan make no difference.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "problem/problem.h"
#include "sim/evaluator.h"
#include "sim/timeline.h"

namespace berth {

// The ways of tensors between devices. The host is the first CPU; on a machine without one all ways are direct.
class PipelineWays {
 public:
  using Route = std::span<const std::uint16_t>;  // channels
  explicit PipelineWays(const Problem& problem);

  // Whether both are accelerators and the route between them passes no CPU.
  [[nodiscard]] bool is_direct(DeviceId from, DeviceId to) const {
    return (direct_[index(from)] & device_bit(to)) != 0;
  }
  [[nodiscard]] DeviceSet direct(DeviceId from) const { return direct_[index(from)]; }
  [[nodiscard]] Route between(DeviceId from, DeviceId to) const { return problem_.machine().route(from, to); }
  [[nodiscard]] bool has_host() const { return host_.has_value(); }
  // To the host and from it; none for CPUs, which pay nothing.
  [[nodiscard]] Route to_host(DeviceId device) const;
  [[nodiscard]] Route from_host(DeviceId device) const;

 private:
  const Problem& problem_;
  std::optional<DeviceId> host_;
  std::vector<DeviceSet> direct_;  // per device
};

// Time of a tensor of that many bytes on all channels of a route, one after the other.
Picoseconds route_time(const Problem& problem, Bytes bytes, std::span<const std::uint16_t> route);

// What a device or link has to do per sample under a plan, and which of them sets the pace.
struct PipelineLoad {
  std::vector<Picoseconds> devices;    // indexed by DeviceId: with what they send and receive
  std::vector<Picoseconds> transfers;  // the part of that
  std::vector<Picoseconds> queues;     // indexed like Machine::queues()
  DeviceId limit = kNoDevice;          // the device with the largest load, or ...
  int limiting_queue = -1;             // ... the link, if one has a larger load than every device
  [[nodiscard]] Picoseconds largest() const;
};
PipelineLoad pipeline_load(const Problem& problem, const Plan& plan);

// Score of a plan by this objective: step_time is the largest load, busy time that of the ops alone, memory the sum of
// resident bytes. The plan must pass verify().
Score pipeline_score(const Problem& problem, const Plan& plan);

std::unique_ptr<Evaluator> make_pipeline_evaluator(const Problem& problem);

}  // namespace berth

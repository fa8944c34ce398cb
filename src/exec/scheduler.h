// SPDX-License-Identifier: Apache-2.0
// StepScheduler: which op may run next on every device during one step, what must be sent where, and what is no longer
// needed. The rules are the simulator's (docs/simulator.md) as far as real devices follow them: highest priority first,
// then earliest ready, then lowest id; a tensor goes once to every device that needs it and lives until its last use
// there. Views and other names of a tensor come before everything else, since they take no time. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <vector>

#include "graph/graph.h"
#include "problem/plan.h"

namespace berth::exec {

// Something that another device waits for: a tensor, or just the end of an op (control edge).
struct Delivery {
  OpId producer;
  std::optional<TensorId> tensor;  // none: a signal
  DeviceId from, to;
};

struct Copy {  // of a tensor, on a device
  DeviceId device;
  TensorId tensor;
};

class StepScheduler {
 public:
  StepScheduler(const Graph& graph, const Plan& plan, std::size_t num_devices);

  // Starts a step: stored tensors are there, whatever needs nothing else is ready.
  void begin();
  [[nodiscard]] bool has_ready(DeviceId device) const { return !ready_[index(device)].empty(); }
  std::optional<OpId> next(DeviceId device);
  void op_done(OpId op);
  void arrived(const Delivery& delivery);
  [[nodiscard]] bool finished() const { return left_ == 0; }

  // What the calls above have brought about since these were last emptied by the caller.
  std::vector<Delivery> deliveries;
  std::vector<Copy> unused;

  // Whether anything of this op is wanted on another device.
  [[nodiscard]] bool has_remote(OpId op) const { return has_remote_[index(op)] != 0; }
  [[nodiscard]] const Plan& plan() const { return plan_; }

 private:
  struct Ready {
    bool is_timeless;
    double priority;
    std::uint64_t since;
    OpId op;
    bool operator<(const Ready& other) const;  // less urgent
  };
  std::uint32_t& uses(DeviceId device, TensorId tensor) {
    return uses_[index(device) * graph_.num_tensors() + index(tensor)];
  }
  void count();
  void one_less_to_wait_for(OpId op);
  void release(DeviceId device, TensorId tensor);
  void offer(OpId producer, TensorId tensor);
  void signal(OpId op);

  const Graph& graph_;
  Plan plan_;
  std::size_t num_devices_;
  std::vector<std::uint32_t> first_waits_, waits_;  // by op: inputs and control edges that are missing
  std::vector<std::uint32_t> first_uses_, uses_;    // by (device, tensor): who still needs it
  std::vector<std::uint8_t> has_remote_;
  std::vector<std::priority_queue<Ready>> ready_;
  std::uint64_t clock_ = 0;
  std::size_t left_ = 0;
};

// Whether the op's outputs are there before the step.
bool is_stored(Role role);

}  // namespace berth::exec

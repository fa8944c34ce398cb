// SPDX-License-Identifier: Apache-2.0
#include "exec/scheduler.h"

#include <algorithm>
#include <bit>

#include "machine/machine.h"

namespace berth::exec {
namespace {

// Other devices among those that need a tensor.
DeviceSet remote_consumers(const Graph& graph, const Plan& plan, TensorId tensor) {
  DeviceSet devices = 0;
  for (const OpId consumer : graph.consumers(tensor)) devices |= device_bit(plan.device(consumer));
  return devices & ~device_bit(plan.device(graph.producer(tensor)));
}

DeviceSet remote_followers(const Graph& graph, const Plan& plan, OpId op) {
  DeviceSet devices = 0;
  for (const OpId follower : graph.control_outputs(op)) devices |= device_bit(plan.device(follower));
  return devices & ~device_bit(plan.device(op));
}

template <typename Visit>
void for_each_device(DeviceSet devices, const Visit& visit) {
  for (; devices != 0; devices &= devices - 1) visit(static_cast<DeviceId>(std::countr_zero(devices)));
}

}  // namespace

bool is_stored(Role role) { return role != Role::kCompute && role != Role::kView; }

bool StepScheduler::Ready::operator<(const Ready& other) const {
  if (is_timeless != other.is_timeless) return other.is_timeless;
  if (priority != other.priority) return priority < other.priority;
  if (since != other.since) return since > other.since;
  return op > other.op;
}

StepScheduler::StepScheduler(const Graph& graph, const Plan& plan, std::size_t num_devices)
    : graph_(graph), plan_(plan), num_devices_(num_devices), ready_(num_devices) {
  count();
}

void StepScheduler::count() {
  first_waits_.resize(graph_.num_ops());
  has_remote_.resize(graph_.num_ops());
  first_uses_.resize(num_devices_ * graph_.num_tensors());
  for (const OpId op : graph_.ops()) {
    first_waits_[index(op)] =
        static_cast<std::uint32_t>(graph_.distinct_inputs(op).size() + graph_.control_inputs(op).size());
    if (remote_followers(graph_, plan_, op) != 0) has_remote_[index(op)] = 1;
  }
  uses_ = first_uses_;
  for (const TensorId tensor : graph_.tensors()) {
    const OpId producer = graph_.producer(tensor);
    for (const OpId consumer : graph_.consumers(tensor)) ++uses(plan_.device(consumer), tensor);
    const DeviceSet remote = remote_consumers(graph_, plan_, tensor);
    if (remote != 0) has_remote_[index(producer)] = 1;
    uses(plan_.device(producer), tensor) += static_cast<std::uint32_t>(std::popcount(remote));
    if (graph_.is_graph_output(tensor)) ++uses(plan_.device(producer), tensor);
  }
  first_uses_ = uses_;
}

void StepScheduler::begin() {
  waits_ = first_waits_;
  uses_ = first_uses_;
  for (auto& queue : ready_) queue = {};
  deliveries.clear();
  unused.clear();
  clock_ = 0;
  left_ = graph_.num_ops();
  for (const OpId op : graph_.ops()) {
    if (is_stored(graph_.role(op))) op_done(op);
  }
  for (const OpId op : graph_.ops()) {
    if (!is_stored(graph_.role(op)) && first_waits_[index(op)] == 0) {
      ready_[index(plan_.device(op))].push({false, plan_.priority_of(op), clock_, op});
    }
  }
}

std::optional<OpId> StepScheduler::next(DeviceId device) {
  auto& queue = ready_[index(device)];
  if (queue.empty()) return std::nullopt;
  const OpId op = queue.top().op;
  queue.pop();
  return op;
}

void StepScheduler::one_less_to_wait_for(OpId op) {
  if (--waits_[index(op)] > 0) return;
  ready_[index(plan_.device(op))].push({graph_.role(op) == Role::kView, plan_.priority_of(op), clock_, op});
}

void StepScheduler::release(DeviceId device, TensorId tensor) {
  if (--uses(device, tensor) == 0) unused.push_back({device, tensor});
}

void StepScheduler::offer(OpId producer, TensorId tensor) {
  const DeviceId here = plan_.device(producer);
  if (uses(here, tensor) == 0) unused.push_back({here, tensor});
  for (const OpId consumer : graph_.consumers(tensor)) {
    if (plan_.device(consumer) == here) one_less_to_wait_for(consumer);
  }
  for_each_device(remote_consumers(graph_, plan_, tensor), [&](DeviceId to) {
    deliveries.push_back({producer, tensor, here, to});
  });
}

void StepScheduler::signal(OpId op) {
  const DeviceId here = plan_.device(op);
  for (const OpId follower : graph_.control_outputs(op)) {
    if (plan_.device(follower) == here) one_less_to_wait_for(follower);
  }
  for_each_device(remote_followers(graph_, plan_, op), [&](DeviceId to) {
    deliveries.push_back({op, std::nullopt, here, to});
  });
}

void StepScheduler::op_done(OpId op) {
  ++clock_;
  --left_;
  for (const TensorId tensor : graph_.outputs(op)) offer(op, tensor);
  signal(op);
  for (const TensorId tensor : graph_.distinct_inputs(op)) release(plan_.device(op), tensor);
}

void StepScheduler::arrived(const Delivery& delivery) {
  ++clock_;
  if (!delivery.tensor) {
    for (const OpId follower : graph_.control_outputs(delivery.producer)) {
      if (plan_.device(follower) == delivery.to) one_less_to_wait_for(follower);
    }
    return;
  }
  for (const OpId consumer : graph_.consumers(*delivery.tensor)) {
    if (plan_.device(consumer) == delivery.to) one_less_to_wait_for(consumer);
  }
  release(delivery.from, *delivery.tensor);
}

}  // namespace berth::exec

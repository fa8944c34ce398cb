// SPDX-License-Identifier: Apache-2.0
#include "exec/executor.h"

#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <map>

#include "exec/devices/allocator.h"
#include "exec/program/initial_values.h"

namespace berth::exec {

Result<std::unique_ptr<Executor>> Executor::make(const Graph& graph, const Program& program,
                                                 std::vector<DeviceSpec> devices) {
  install_counting_allocator();
  std::unique_ptr<Executor> executor(new Executor(graph, program));
  BERTH_RETURN_IF_ERROR(executor->open_devices(std::move(devices)));
  executor->stored_.resize(graph.num_ops());
  executor->stored_on_.assign(graph.num_ops(), -1);
  executor->runner_ = std::make_unique<StepRunner>(graph, program, executor->devices_);
  return executor;
}

Status Executor::open_devices(std::vector<DeviceSpec> devices) {
  for (std::size_t i = 0; i < devices.size(); ++i) {
    auto state = std::make_unique<DeviceState>();
    state->spec = std::move(devices[i]);
    if (state->spec.is_cuda && state->spec.multiprocessors == 0) {
      BERTH_TRY(state->accelerator, Accelerator::open(state->spec.number, state->spec.memory));
      state->device = state->accelerator->device();
    } else {
      set_memory_limit(static_cast<int>(i), state->spec.memory);
    }
    state->values.resize(graph_.num_tensors());
    devices_.push_back(std::move(state));
  }
  return open_gpu_parts();
}

// All parts of a GPU are made together, so that they are disjoint.
Status Executor::open_gpu_parts() {
  std::map<int, std::vector<std::size_t>> parts_of;  // by number of the GPU
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (devices_[i]->spec.multiprocessors > 0) parts_of[devices_[i]->spec.number].push_back(i);
  }
  for (const auto& [gpu, parts] : parts_of) {
    std::vector<int> sizes;
    for (const std::size_t part : parts) sizes.push_back(devices_[part]->spec.multiprocessors);
    BERTH_TRY(auto accelerators, Accelerator::open_parts(gpu, sizes));
    for (std::size_t i = 0; i < parts.size(); ++i) {
      DeviceState& state = *devices_[parts[i]];
      state.accelerator = std::move(accelerators[i]);
      state.device = state.accelerator->device();
      state.ledger = std::make_unique<StorageLedger>(static_cast<int>(parts[i]));
    }
  }
  return {};
}

// What a GPU reads directly should be pinned where it is made: by the op itself, or by the one whose storage it shows.
void Executor::mark_pinned(const Plan& plan) {
  pinned_.assign(graph_.num_ops(), 0);
  const auto order = graph_.topological_order();
  for (auto op = order.rbegin(); op != order.rend(); ++op) {
    const DeviceId here = plan.device(*op);
    if (devices_[index(here)]->accelerator) continue;
    for (const TensorId tensor : graph_.outputs(*op)) {
      for (const OpId consumer : graph_.consumers(tensor)) {
        const DeviceId there = plan.device(consumer);
        const bool is_sent = there != here && devices_[index(there)]->accelerator;
        const bool is_shown = there == here && graph_.role(consumer) == Role::kView && pinned_[index(consumer)] != 0;
        if (is_sent || is_shown) pinned_[index(*op)] = 1;
      }
    }
  }
}

void Executor::note_largest_calls(const Plan& plan) {
  for (const auto& device : devices_) device->largest_call = 0;
  for (const OpId op : graph_.ops()) {
    if (graph_.role(op) != Role::kCompute) continue;
    Bytes bytes = 0;
    for (const TensorId tensor : graph_.outputs(op)) bytes += graph_.bytes(tensor);
    Bytes& largest = devices_[index(plan.device(op))]->largest_call;
    largest = std::max(largest, bytes);
  }
}

void Executor::prepare(const Plan& plan, bool fresh) {
  const c10::InferenceMode no_gradients(true);
  for (const auto& device : devices_) device->values.assign(graph_.num_tensors(), at::Tensor());
  note_largest_calls(plan);
  const std::vector<std::uint8_t> pinned_before = pinned_;
  mark_pinned(plan);
  runner_->prepare(plan, pinned_);
  std::vector<OpId> to_make;
  for (const OpId op : graph_.ops()) {
    if (!is_stored(graph_.role(op)) || graph_.outputs(op).empty()) continue;
    if (graph_.role(op) == Role::kInput) {
      allocate_for(kNoDevice);
      if (fresh || !stored_[index(op)].defined()) stored_[index(op)] = initial_value(graph_, op, at::kCPU);
      continue;
    }
    const auto device = static_cast<std::int16_t>(index(plan.device(op)));
    const bool same_memory = !pinned_before.empty() && pinned_before[index(op)] == pinned_[index(op)];
    if (!fresh && stored_on_[index(op)] == device && same_memory) continue;
    stored_[index(op)] = at::Tensor();  // all go before any comes: both would not fit
    stored_on_[index(op)] = device;
    to_make.push_back(op);
  }
  for (const OpId op : to_make) {
    const std::size_t device = index(plan.device(op));
    allocate_for(static_cast<int>(device), pinned_[index(op)] != 0);
    stored_[index(op)] = initial_value(graph_, op, devices_[device]->device);
  }
  allocate_for(0);
}

// Inputs come anew with every step and go after their last use; parameters and buffers stay.
void Executor::lay_out_stored() {
  const c10::InferenceMode no_gradients(true);
  for (const OpId op : graph_.ops()) {
    if (!is_stored(graph_.role(op)) || graph_.outputs(op).empty()) continue;
    const std::size_t where = index(runner_->plan().device(op));
    DeviceState& device = *devices_[where];
    at::Tensor value = stored_[index(op)];
    if (graph_.role(op) == Role::kInput) {
      allocate_for(static_cast<int>(where), pinned_[index(op)] != 0);
      value = value.to(device.device, /*non_blocking=*/false, /*copy=*/true);
    } else if (device.ledger) {
      device.ledger->add(value);  // also when the step no longer needs it
    }
    device.keep(*graph_.outputs(op).begin(), std::move(value));
  }
  allocate_for(0);
}

// What an allocator holds between steps beyond parameters and buffers are workspaces that libraries keep.
void Executor::note_workspaces() {
  std::vector<Bytes> stored(devices_.size());
  for (const OpId op : graph_.ops()) {
    if (stored_on_[index(op)] < 0 || !stored_[index(op)].defined()) continue;
    stored[static_cast<std::size_t>(stored_on_[index(op)])] += static_cast<Bytes>(stored_[index(op)].nbytes());
  }
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    DeviceState& device = *devices_[i];
    device.workspaces =
        device.counts_by_allocator() ? std::max<Bytes>(device.accelerator->allocated() - stored[i], 0) : 0;
  }
}

Result<Step> Executor::step(bool with_times) {
  for (const auto& device : devices_) {
    std::ranges::fill(device->values, at::Tensor());
    if (device->ledger) device->ledger->clear();
  }
  note_workspaces();
  lay_out_stored();
  return runner_->run(with_times);
}

std::vector<at::Tensor> Executor::outputs() const {
  std::vector<at::Tensor> outputs;
  for (const TensorId tensor : graph_.graph_outputs()) {
    const DeviceId device = runner_->plan().device(graph_.producer(tensor));
    outputs.push_back(devices_[index(device)]->values[index(tensor)].cpu());
  }
  return outputs;
}

Bytes Executor::peak(std::size_t device) const {
  const DeviceState& state = *devices_[device];
  return state.counts_by_allocator() ? state.accelerator->peak() : peak_bytes(static_cast<int>(device));
}

void Executor::reset_peaks() {
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (devices_[i]->counts_by_allocator()) {
      devices_[i]->accelerator->reset_peak();
    } else {
      reset_peak(static_cast<int>(i));
    }
  }
}

}  // namespace berth::exec

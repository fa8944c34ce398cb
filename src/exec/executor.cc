// SPDX-License-Identifier: Apache-2.0
#include "exec/executor.h"

#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <map>

#include "exec/devices/allocator.h"
#include "exec/devices/cores.h"
#include "exec/program/initial_values.h"

namespace berth::exec {

Result<std::unique_ptr<Executor>> Executor::make(const Graph& graph, const Program& program,
                                                 std::vector<DeviceSpec> devices) {
  install_counting_allocator();
  std::unique_ptr<Executor> executor(new Executor(graph, program));
  BERTH_RETURN_IF_ERROR(executor->open_devices(std::move(devices)));
  executor->stored_.resize(graph.num_ops());
  executor->stored_on_.assign(graph.num_ops(), -1);
  executor->start_threads();
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
  leave_cores_to_accelerators();
  return open_gpu_parts();
}

// Whoever starts the work of GPUs, and whoever waits for it, must not take a core from under an op of a CPU, which
// would wait for its slowest thread. One half of what is left is for the former.
void Executor::leave_cores_to_accelerators() {
  std::vector<int> taken;
  for (const auto& device : devices_) taken.insert(taken.end(), device->spec.cores.begin(), device->spec.cores.end());
  const std::vector<int> left = cores_besides(taken);
  const auto middle = left.begin() + static_cast<std::ptrdiff_t>((left.size() + 1) / 2);
  launching_cores_.assign(left.begin(), middle);
  carrying_cores_.assign(left.size() > 1 ? middle : left.begin(), left.end());
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

void Executor::DeviceState::keep(TensorId tensor, at::Tensor value) {
  if (ledger) ledger->add(value);
  values[index(tensor)] = std::move(value);
}

void Executor::start_threads() {
  const std::size_t count = devices_.size();
  couriers_.resize(count * count);
  for (std::size_t from = 0; from < count; ++from) {
    for (std::size_t to = 0; to < count; ++to) {
      if (from == to) continue;
      couriers_[from * count + to] = std::make_unique<Courier>();
    }
  }
  for (std::size_t device = 0; device < count; ++device) {
    devices_[device]->thread = std::thread([this, device] { run_device(device); });
    for (std::size_t to = 0; to < count; ++to) {
      if (device != to) courier(device, to).thread = std::thread([this, device, to] { run_courier(device, to); });
    }
  }
}

Executor::~Executor() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  for (const auto& device : devices_) device->wake.notify_all();
  for (const auto& courier : couriers_) {
    if (courier) courier->wake.notify_all();
  }
  // Threads that never started, since a device could not be opened, cannot be joined.
  for (const auto& device : devices_) {
    if (device->thread.joinable()) device->thread.join();
  }
  for (const auto& courier : couriers_) {
    if (courier && courier->thread.joinable()) courier->thread.join();
  }
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
  scheduler_.emplace(graph_, plan, devices_.size());
  events_.assign(graph_.num_ops(), nullptr);
  note_largest_calls(plan);
  const std::vector<std::uint8_t> pinned_before = pinned_;
  mark_pinned(plan);
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
    const std::size_t where = index(scheduler_->plan().device(op));
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
  std::unique_lock lock(mutex_);
  with_times_ = with_times;
  transfers_.clear();
  timed_.assign(with_times ? graph_.num_ops() : 0, {});
  begin_events_.assign(devices_.size(), nullptr);
  for (const auto& device : devices_) {
    std::ranges::fill(device->values, at::Tensor());
    if (device->ledger) device->ledger->clear();
    device->tensor_peak = 0;
  }
  note_workspaces();
  lay_out_stored();
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (!devices_[i]->accelerator) continue;
    devices_[i]->accelerator->synchronize(devices_[i]->accelerator->compute());
    devices_[i]->accelerator->use(devices_[i]->accelerator->compute());  // events belong to the context in use
    if (with_times) begin_events_[i] = record(devices_[i]->accelerator->compute(), true);
  }
  begin_ = Clock::now();
  running_ = true;
  scheduler_->begin();
  (void)hand_out();
  done_.wait(lock, [&] { return failure_ ? busy_ == 0 : scheduler_->finished() && busy_ == 0; });
  running_ = false;
  if (failure_) return bad_input("{}", *failure_);
  for (const auto& device : devices_) {
    if (device->accelerator) device->accelerator->synchronize(device->accelerator->compute());
  }
  const double seconds = now_s();
  Step step = times_of_step();
  step.seconds = seconds;
  return step;
}

Step Executor::times_of_step() const {
  Step step;
  for (const auto& device : devices_) step.tensor_peak.push_back(device->tensor_peak);
  step.transfers = transfers_;
  for (std::size_t i = 0; i < timed_.size(); ++i) {
    const TimedOp& timed = timed_[i];
    const auto op = static_cast<OpId>(i);
    if (graph_.role(op) != Role::kCompute) continue;
    if (timed.start) {
      const c10::Event& begin = *begin_events_[index(scheduler_->plan().device(op))];
      step.ops.push_back({op, seconds_between(begin, *timed.start), seconds_between(begin, *timed.end)});
    } else if (timed.start_s >= 0.0) {
      step.ops.push_back({op, timed.start_s, timed.end_s});
    }
  }
  return step;
}

std::vector<at::Tensor> Executor::hand_out() {
  std::vector<at::Tensor> freed;
  for (const Copy& copy : scheduler_->unused) {
    DeviceState& device = *devices_[index(copy.device)];
    at::Tensor& value = device.values[index(copy.tensor)];
    if (device.ledger) device.ledger->remove(value);
    freed.push_back(std::move(value));
  }
  scheduler_->unused.clear();
  for (const Delivery& delivery : scheduler_->deliveries) {
    Courier& carrier = courier(index(delivery.from), index(delivery.to));
    carrier.jobs.push_back(delivery);
    carrier.wake.notify_one();
  }
  scheduler_->deliveries.clear();
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (scheduler_->has_ready(static_cast<DeviceId>(i))) devices_[i]->wake.notify_one();
  }
  return freed;
}

std::vector<at::Tensor> Executor::outputs() const {
  std::vector<at::Tensor> outputs;
  for (const TensorId tensor : graph_.graph_outputs()) {
    const DeviceId device = scheduler_->plan().device(graph_.producer(tensor));
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

// SPDX-License-Identifier: Apache-2.0
// What the threads of an executor do: one of every device, and the couriers between them.
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <cstdlib>
#include <exception>

#include "exec/allocator.h"
#include "exec/cores.h"
#include "exec/executor.h"

namespace berth::exec {
namespace {

// Of a limited memory: what couriers leave to ops, whose outputs cannot wait.
constexpr Bytes kShareForOps = 16;
constexpr std::chrono::microseconds kLookAgain{200};

// The first line of what libtorch says, without its advice on memory of GPUs.
std::string first_line(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  return std::string(text.substr(0, std::min(text.find(". GPU "), text.size())));
}

[[noreturn]] void never_end() {
  while (true) std::this_thread::sleep_for(std::chrono::seconds(1));
}

}  // namespace

void Executor::fail(std::string message) {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(message);
}

Bytes Executor::held(std::size_t device) const {
  const DeviceState& state = *devices_[device];
  return state.counts_by_allocator() ? state.accelerator->allocated() : allocated_bytes(static_cast<int>(device));
}

void Executor::note_memory(std::size_t device) {
  DeviceState& state = *devices_[device];
  state.tensor_peak = std::max(state.tensor_peak, held(device) - state.workspaces);
}

void Executor::run_op(std::size_t device, OpId op, Stack& stack) {
  DeviceState& state = *devices_[device];
  const Call& call = program_.call(op);
  if (call.where == state.spec.text && call.kind == CallKind::kCrash) std::abort();
  if (call.where == state.spec.text && call.kind == CallKind::kEndless) never_end();
  const bool is_timed = with_times_ && graph_.role(op) == Role::kCompute;
  if (is_timed && state.accelerator) timed_[index(op)].start = record(state.accelerator->compute(), true);
  if (is_timed && !state.accelerator) timed_[index(op)].start_s = now_s();
  if (!state.accelerator) allocate_for(static_cast<int>(device), pinned_[index(op)] != 0);
  std::vector<at::Tensor> results = invoke(call, state.values, state.device, index(op) + 1, stack);
  if (is_timed && state.accelerator) timed_[index(op)].end = record(state.accelerator->compute(), true);
  if (is_timed && !state.accelerator) timed_[index(op)].end_s = now_s();
  const IdRange<TensorId> outputs = graph_.outputs(op);
  if (results.size() < outputs.size()) {
    throw std::runtime_error(fmt::format("it gave {} outputs, the graph has {}", results.size(), outputs.size()));
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) state.keep(outputs[i], std::move(results[i]));
  if (state.accelerator && scheduler_->has_remote(op)) events_[index(op)] = record(state.accelerator->compute());
  if (with_times_) note_memory(device);
}

// What is no longer needed is gone before the turn ends, and so before the step does.
void Executor::end_turn(std::unique_lock<std::mutex>& lock) {
  if (!failure_) {
    if (std::vector<at::Tensor> freed = hand_out(); !freed.empty()) {
      lock.unlock();
      freed.clear();
      lock.lock();
    }
  }
  --busy_;
  if (failure_ || scheduler_->finished()) done_.notify_all();
}

void Executor::run_device(std::size_t device) {
  const c10::InferenceMode no_gradients(true);
  DeviceState& state = *devices_[device];
  use_cores(state.accelerator ? launching_cores_ : state.spec.cores, state.accelerator ? 1 : 0);
  if (state.accelerator) state.accelerator->use(state.accelerator->compute());
  Stack stack;
  std::unique_lock lock(mutex_);
  while (true) {
    state.wake.wait(lock, [&] {
      return stopping_ || (running_ && !failure_ && scheduler_->has_ready(static_cast<DeviceId>(device)));
    });
    if (stopping_) return;
    const OpId op = *scheduler_->next(static_cast<DeviceId>(device));
    ++busy_;
    lock.unlock();
    try {
      run_op(device, op, stack);
    } catch (const std::exception& error) {
      fail(fmt::format("op '{}' on {}: {}", graph_.name(op), state.spec.text, first_line(error.what())));
      stack.clear();
    }
    lock.lock();
    if (!failure_) scheduler_->op_done(op);
    end_turn(lock);
  }
}

at::Tensor Executor::carried(const at::Tensor& tensor, std::size_t to, const c10::Stream* stream) {
  DeviceState& target = *devices_[to];
  if (stream == nullptr) {
    allocate_for(static_cast<int>(to));
    return tensor.clone(at::MemoryFormat::Preserve);
  }
  if (!target.accelerator) allocate_for(static_cast<int>(to), true);
  at::Tensor copy = at::empty_like(tensor, tensor.options().device(target.device), at::MemoryFormat::Preserve);
  copy.copy_(tensor, /*non_blocking=*/true);
  wait_for(*record(*stream));
  if (target.accelerator) copy.record_stream(target.accelerator->compute());
  return copy;
}

void Executor::carry(const Delivery& delivery, const c10::Stream* stream) {
  const std::size_t from = index(delivery.from), to = index(delivery.to);
  if (const EventPtr& end = events_[index(delivery.producer)]; end && devices_[from]->accelerator) wait_for(*end);
  if (!delivery.tensor) return;
  const double start_s = now_s();
  const at::Tensor& tensor = devices_[from]->values[index(*delivery.tensor)];
  at::Tensor copy = carried(tensor, to, stream);
  const double end_s = now_s();
  devices_[to]->keep(*delivery.tensor, std::move(copy));
  const std::lock_guard lock(mutex_);
  transfers_.push_back({*delivery.tensor, delivery.from, delivery.to, start_s, end_s, graph_.bytes(*delivery.tensor)});
}

// Whether any thread but those that wait for memory has something to do, and so may free some.
bool Executor::others_at_work() const {
  if (busy_ > short_of_room_) return true;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (scheduler_->has_ready(static_cast<DeviceId>(i))) return true;
  }
  return false;
}

bool Executor::is_nearly_full(const Delivery& delivery) const {
  const Bytes limit = devices_[index(delivery.to)]->spec.memory;
  if (!delivery.tensor || limit <= 0) return false;
  return held(index(delivery.to)) + graph_.bytes(*delivery.tensor) > limit - limit / kShareForOps;
}

// A device that is late, since it loads its kernels for example, would be sent more than it can hold. So couriers wait
// for room, and memory has run out only if it does so while nobody can free any.
void Executor::deliver(std::unique_lock<std::mutex>& lock, const Delivery& delivery, const c10::Stream* stream) {
  const auto pause = [&] {
    lock.unlock();
    std::this_thread::sleep_for(kLookAgain);
    lock.lock();
  };
  std::optional<std::string> failure;
  while (!failure_) {
    ++short_of_room_;
    while (!failure_ && is_nearly_full(delivery) && others_at_work()) pause();
    const bool is_last_try = !others_at_work();
    --short_of_room_;
    lock.unlock();
    failure = carried_or_why_not(delivery, stream);
    lock.lock();
    if (!failure) return;
    if (is_last_try) {
      failure_ = std::move(failure);
      return;
    }
    pause();
  }
}

// Why it could not be carried, if memory is what was lacking; other failures end the step.
std::optional<std::string> Executor::carried_or_why_not(const Delivery& delivery, const c10::Stream* stream) {
  const auto said = [&](const std::exception& error) {
    return fmt::format("output of '{}' from {} to {}: {}", graph_.name(delivery.producer),
                       devices_[index(delivery.from)]->spec.text, devices_[index(delivery.to)]->spec.text,
                       first_line(error.what()));
  };
  try {
    carry(delivery, stream);
  } catch (const OutOfMemory& error) {
    return said(error);
  } catch (const c10::OutOfMemoryError& error) {
    return said(error);
  } catch (const std::exception& error) {
    fail(said(error));
  }
  return std::nullopt;
}

void Executor::run_courier(std::size_t from, std::size_t to) {
  const c10::InferenceMode no_gradients(true);
  const Accelerator* accelerator =
      devices_[to]->accelerator ? devices_[to]->accelerator.get() : devices_[from]->accelerator.get();
  std::optional<c10::Stream> stream;
  if (accelerator != nullptr) {
    use_cores(carrying_cores_, 1);
    stream.emplace(accelerator->new_stream());
    accelerator->use(*stream);
  } else {
    use_cores(devices_[to]->spec.cores, 1);
  }
  Courier& mine = courier(from, to);
  std::unique_lock lock(mutex_);
  while (true) {
    mine.wake.wait(lock, [&] { return stopping_ || (running_ && !failure_ && !mine.jobs.empty()); });
    if (stopping_) return;
    const Delivery delivery = mine.jobs.front();
    mine.jobs.pop_front();
    ++busy_;
    deliver(lock, delivery, stream ? &*stream : nullptr);
    if (!failure_) scheduler_->arrived(delivery);
    end_turn(lock);
  }
}

}  // namespace berth::exec

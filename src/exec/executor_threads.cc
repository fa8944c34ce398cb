// SPDX-License-Identifier: Apache-2.0
// What the threads of an executor do: one of every device, and the couriers between them.
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <exception>

#include "exec/devices/allocator.h"
#include "exec/devices/cores.h"
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
}

// Whether any thread but those that wait for memory has something to do, and so may free some.
bool Executor::others_at_work() const {
  if (busy_ > waiting_) return true;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (!devices_[i]->waiter.waits && scheduler_->has_ready(static_cast<DeviceId>(i))) return true;
  }
  return std::ranges::any_of(couriers_,
                             [](const auto& one) { return one && !one->waiter.waits && !one->jobs.empty(); });
}

bool Executor::all_are_stuck() const {
  const auto is_stuck = [&](const Waiter& waiter) { return !waiter.waits || waiter.stuck_at == turns_; };
  return !others_at_work() && std::ranges::all_of(devices_, [&](const auto& one) { return is_stuck(one->waiter); }) &&
         std::ranges::all_of(couriers_, [&](const auto& one) { return !one || is_stuck(one->waiter); });
}

bool Executor::is_nearly_full(const Delivery& delivery) const {
  const DeviceState& device = *devices_[index(delivery.to)];
  const Bytes limit = device.spec.memory;
  if (!delivery.tensor || limit <= 0) return false;
  const Bytes for_ops = std::max(limit / kShareForOps, device.largest_call);
  return held(index(delivery.to)) + graph_.bytes(*delivery.tensor) > limit - for_ops;
}

// A device that is late, since it loads its kernels for example, would be sent more than it can hold. So couriers wait
// for room, and memory has run out only if everybody who needs some has tried in vain with nobody else at work.
template <typename IsFull, typename Work>
void Executor::patiently(std::unique_lock<std::mutex>& lock, Waiter& waiter, const IsFull& is_full, const Work& work) {
  const auto set_waiting = [&](bool waits) {
    waiter.waits = waits;
    waiting_ += waits ? 1 : -1;
  };
  const auto pause = [&] {
    lock.unlock();
    std::this_thread::sleep_for(kLookAgain);
    lock.lock();
  };
  set_waiting(true);
  while (!failure_) {
    while (!failure_ && is_full() && others_at_work()) pause();
    if (failure_) break;
    const std::uint64_t turn = turns_;
    set_waiting(false);
    lock.unlock();
    std::optional<std::string> lack = work();
    lock.lock();
    set_waiting(true);
    if (!lack) break;
    if (turns_ == turn && !others_at_work()) waiter.stuck_at = turn;
    if (all_are_stuck()) failure_ = std::move(lack);
    // Again when something has happened, or once when nobody else is at it: not side by side with others that wait.
    while (!failure_ && turns_ == turn && (waiter.stuck_at == turn || others_at_work())) pause();
  }
  set_waiting(false);
}

// What the work lacks memory for, if that is what it throws and it can be done again; whatever else goes wrong ends the
// step.
template <typename Name, typename Work>
std::optional<std::string> Executor::lacking(const Name& name, bool is_repeatable, const Work& work) {
  const auto said = [&](const std::exception& error) {
    return fmt::format("{}: {}", name(), first_line(error.what()));
  };
  try {
    work();
  } catch (const std::exception& error) {
    const bool is_memory = dynamic_cast<const OutOfMemory*>(&error) != nullptr ||
                           dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr;
    if (is_memory && is_repeatable) return said(error);
    fail(said(error));
  }
  return std::nullopt;
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
  ++turns_;
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
    const auto name = [&] { return fmt::format("op '{}' on {}", graph_.name(op), state.spec.text); };
    patiently(
        lock, state.waiter, [] { return false; },
        [&] {
          stack.clear();
          return lacking(name, program_.call(op).is_repeatable(), [&] { run_op(device, op, stack); });
        });
    if (with_times_ && !failure_) note_memory(device);
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
    const auto name = [&] {
      return fmt::format("output of '{}' from {} to {}", graph_.name(delivery.producer), devices_[from]->spec.text,
                         devices_[to]->spec.text);
    };
    patiently(
        lock, mine.waiter, [&] { return is_nearly_full(delivery); },
        [&] { return lacking(name, true, [&] { carry(delivery, stream ? &*stream : nullptr); }); });
    if (with_times_ && !failure_) note_memory(to);
    if (!failure_) scheduler_->arrived(delivery);
    end_turn(lock);
  }
}

}  // namespace berth::exec

// SPDX-License-Identifier: Apache-2.0
#include "exec/step_runner.h"

#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <exception>

#include "exec/devices/allocator.h"
#include "exec/devices/cpus.h"

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

void DeviceState::keep(TensorId tensor, at::Tensor value) {
  if (ledger) ledger->add(value);
  values[index(tensor)] = std::move(value);
}

StepRunner::StepRunner(const Graph& graph, const Program& program,
                       std::span<const std::unique_ptr<DeviceState>> devices)
    : graph_(graph), program_(program), devices_(devices) {
  leave_cores_to_accelerators();
  start_threads();
}

// Whoever starts the work of GPUs, and whoever waits for it, must not take a core from under an op of a CPU, which
// would wait for its slowest thread. One half of what is left is for the former.
void StepRunner::leave_cores_to_accelerators() {
  std::vector<int> taken;
  for (const auto& device : devices_) taken.insert(taken.end(), device->spec.cores.begin(), device->spec.cores.end());
  const std::vector<int> left = cores_besides(taken);
  const auto middle = left.begin() + static_cast<std::ptrdiff_t>((left.size() + 1) / 2);
  launching_cores_.assign(left.begin(), middle);
  carrying_cores_.assign(left.size() > 1 ? middle : left.begin(), left.end());
}

void StepRunner::start_threads() {
  const std::size_t count = devices_.size();
  couriers_.resize(count * count);
  for (std::size_t i = 0; i < count; ++i) workers_.push_back(std::make_unique<Worker>());
  for (std::size_t from = 0; from < count; ++from) {
    for (std::size_t to = 0; to < count; ++to) {
      if (from == to) continue;
      couriers_[from * count + to] = std::make_unique<Courier>();
    }
  }
  for (std::size_t device = 0; device < count; ++device) {
    workers_[device]->thread = std::thread([this, device] { run_device(device); });
    for (std::size_t to = 0; to < count; ++to) {
      if (device != to) courier(device, to).thread = std::thread([this, device, to] { run_courier(device, to); });
    }
  }
}

StepRunner::~StepRunner() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  for (const auto& worker : workers_) worker->wake.notify_all();
  for (const auto& courier : couriers_) {
    if (courier) courier->wake.notify_all();
  }
  for (const auto& worker : workers_) worker->thread.join();
  for (const auto& courier : couriers_) {
    if (courier) courier->thread.join();
  }
}

void StepRunner::prepare(const Plan& plan, std::span<const std::uint8_t> pinned) {
  scheduler_.emplace(graph_, plan, devices_.size());
  events_.assign(graph_.num_ops(), nullptr);
  pinned_.assign(pinned.begin(), pinned.end());
}

Result<Step> StepRunner::run(bool with_times) {
  std::unique_lock lock(mutex_);
  with_times_ = with_times;
  transfers_.clear();
  timed_.assign(with_times ? graph_.num_ops() : 0, {});
  begin_events_.assign(devices_.size(), nullptr);
  for (const auto& device : devices_) device->tensor_peak = 0;
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

Step StepRunner::times_of_step() const {
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

std::vector<at::Tensor> StepRunner::hand_out() {
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
    if (scheduler_->has_ready(static_cast<DeviceId>(i))) workers_[i]->wake.notify_one();
  }
  return freed;
}

void StepRunner::fail(std::string message) {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(message);
}

Bytes StepRunner::held(std::size_t device) const {
  const DeviceState& state = *devices_[device];
  return state.counts_by_allocator() ? state.accelerator->allocated() : allocated_bytes(static_cast<int>(device));
}

void StepRunner::note_memory(std::size_t device) {
  DeviceState& state = *devices_[device];
  state.tensor_peak = std::max(state.tensor_peak, held(device) - state.workspaces);
}

void StepRunner::run_op(std::size_t device, OpId op, Stack& stack) {
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
bool StepRunner::others_at_work() const {
  if (busy_ > waiting_) return true;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (!workers_[i]->waiter.waits && scheduler_->has_ready(static_cast<DeviceId>(i))) return true;
  }
  return std::ranges::any_of(couriers_,
                             [](const auto& one) { return one && !one->waiter.waits && !one->jobs.empty(); });
}

bool StepRunner::all_are_stuck() const {
  const auto is_stuck = [&](const Waiter& waiter) { return !waiter.waits || waiter.stuck_at == turns_; };
  return !others_at_work() && std::ranges::all_of(workers_, [&](const auto& one) { return is_stuck(one->waiter); }) &&
         std::ranges::all_of(couriers_, [&](const auto& one) { return !one || is_stuck(one->waiter); });
}

bool StepRunner::is_nearly_full(const Delivery& delivery) const {
  const DeviceState& device = *devices_[index(delivery.to)];
  const Bytes limit = device.spec.memory;
  if (!delivery.tensor || limit <= 0) return false;
  const Bytes for_ops = std::max(limit / kShareForOps, device.largest_call);
  return held(index(delivery.to)) + graph_.bytes(*delivery.tensor) > limit - for_ops;
}

// A device that is late, since it loads its kernels for example, would be sent more than it can hold. So couriers wait
// for room, and memory has run out only if everybody who needs some has tried in vain with nobody else at work.
template <typename IsFull, typename Work>
void StepRunner::patiently(std::unique_lock<std::mutex>& lock, Waiter& waiter, const IsFull& is_full,
                           const Work& work) {
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
std::optional<std::string> StepRunner::lacking(const Name& name, bool is_repeatable, const Work& work) {
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
void StepRunner::end_turn(std::unique_lock<std::mutex>& lock) {
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

void StepRunner::run_device(std::size_t device) {
  const c10::InferenceMode no_gradients(true);
  DeviceState& state = *devices_[device];
  Worker& worker = *workers_[device];
  use_cores(state.accelerator ? launching_cores_ : state.spec.cores, state.accelerator ? 1 : 0);
  if (state.accelerator) state.accelerator->use(state.accelerator->compute());
  Stack stack;
  std::unique_lock lock(mutex_);
  while (true) {
    worker.wake.wait(lock, [&] {
      return stopping_ || (running_ && !failure_ && scheduler_->has_ready(static_cast<DeviceId>(device)));
    });
    if (stopping_) return;
    const OpId op = *scheduler_->next(static_cast<DeviceId>(device));
    ++busy_;
    const auto name = [&] { return fmt::format("op '{}' on {}", graph_.name(op), state.spec.text); };
    patiently(
        lock, worker.waiter, [] { return false; },
        [&] {
          stack.clear();
          return lacking(name, program_.call(op).is_repeatable(), [&] { run_op(device, op, stack); });
        });
    if (with_times_ && !failure_) note_memory(device);
    if (!failure_) scheduler_->op_done(op);
    end_turn(lock);
  }
}

at::Tensor StepRunner::carried(const at::Tensor& tensor, std::size_t to, const c10::Stream* stream) {
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

void StepRunner::carry(const Delivery& delivery, const c10::Stream* stream) {
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

void StepRunner::run_courier(std::size_t from, std::size_t to) {
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

// SPDX-License-Identifier: Apache-2.0
// StepRunner: the threads that run steps. Every device has one that runs its ops, bound to its cores if it is a CPU;
// every ordered pair of devices has a courier that carries tensors one at a time while ops run, as a link of the
// simulator does. On a CUDA device ops are started ahead of the work, on a stream of their own, and copies go through
// pinned memory on another; couriers wait for what they carry.
#pragma once

#include <ATen/ATen.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "exec/devices/accelerator.h"
#include "exec/devices/storage_ledger.h"
#include "exec/program/program.h"
#include "exec/scheduler.h"
#include "measure/device_spec.h"
#include "measure/sample.h"

namespace berth::exec {

// What one step took. Spans are there if it was run with times.
struct Step {
  double seconds = 0.0;
  std::vector<OpSpan> ops = {};  // compute ops by id
  std::vector<TransferSpan> transfers = {};
  std::vector<Bytes> tensor_peak = {};  // by device, seen between ops
};

// A device with what is on it.
struct DeviceState {
  DeviceSpec spec;
  at::Device device{at::kCPU};
  std::unique_ptr<Accelerator> accelerator;  // null for a CPU
  std::unique_ptr<StorageLedger> ledger;     // of a part of a GPU
  Inputs values;                             // by tensor id
  Bytes tensor_peak = 0;
  Bytes workspaces = 0;    // that stay from step to step
  Bytes largest_call = 0;  // outputs of an op, the most of any

  [[nodiscard]] bool counts_by_allocator() const { return accelerator && !ledger; }
  void keep(TensorId tensor, at::Tensor value);
};

class StepRunner {
 public:
  // Starts the threads. Graph, program and devices must outlive it.
  StepRunner(const Graph& graph, const Program& program, std::span<const std::unique_ptr<DeviceState>> devices);
  ~StepRunner();
  StepRunner(const StepRunner&) = delete;
  StepRunner& operator=(const StepRunner&) = delete;

  // The plan of the steps to come. pinned: by op, whether a GPU reads what it makes.
  void prepare(const Plan& plan, std::span<const std::uint8_t> pinned);
  [[nodiscard]] const Plan& plan() const { return scheduler_->plan(); }
  // One step; what is stored is on the devices. After an error the runner is of no use any more.
  Result<Step> run(bool with_times);

 private:
  using Clock = std::chrono::steady_clock;
  // A thread that is short of memory; under the lock.
  struct Waiter {
    bool waits = false;
    std::uint64_t stuck_at = 0;  // the turn at which it had nobody to wait for, and failed
  };
  struct Worker {  // of a device
    std::thread thread;
    std::condition_variable wake;
    Waiter waiter;
  };
  struct Courier {
    std::thread thread;
    std::condition_variable wake;
    Waiter waiter;
    std::deque<Delivery> jobs;
  };
  struct TimedOp {  // CUDA: events; else times
    double start_s = -1.0, end_s = 0.0;
    EventPtr start, end;
  };

  void leave_cores_to_accelerators();
  void start_threads();
  void run_device(std::size_t device);
  void run_op(std::size_t device, OpId op, Stack& stack);
  void run_courier(std::size_t from, std::size_t to);
  void carry(const Delivery& delivery, const c10::Stream* stream);
  at::Tensor carried(const at::Tensor& tensor, std::size_t to, const c10::Stream* stream);
  // Has done what the scheduler wants; under the lock. What is freed is given back, to go when the lock is not held.
  [[nodiscard]] std::vector<at::Tensor> hand_out();
  void end_turn(std::unique_lock<std::mutex>& lock);  // of a thread that was busy
  void fail(std::string message);
  [[nodiscard]] Bytes held(std::size_t device) const;
  void note_memory(std::size_t device);
  // Runs `work`, which says what it lacks memory for, without the lock; again and again while others may free some.
  template <typename IsFull, typename Work>
  void patiently(std::unique_lock<std::mutex>& lock, Waiter& waiter, const IsFull& is_full, const Work& work);
  template <typename Name, typename Work>
  [[nodiscard]] std::optional<std::string> lacking(const Name& name, bool is_repeatable, const Work& work);
  [[nodiscard]] bool others_at_work() const;
  [[nodiscard]] bool all_are_stuck() const;
  [[nodiscard]] bool is_nearly_full(const Delivery& delivery) const;
  [[nodiscard]] double now_s() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  [[nodiscard]] Step times_of_step() const;
  Courier& courier(std::size_t from, std::size_t to) { return *couriers_[from * devices_.size() + to]; }

  const Graph& graph_;
  const Program& program_;
  std::span<const std::unique_ptr<DeviceState>> devices_;
  std::vector<std::unique_ptr<Worker>> workers_;       // by device
  std::vector<std::unique_ptr<Courier>> couriers_;     // by from * devices + to; null where equal
  std::vector<std::uint8_t> pinned_;                   // by op
  std::vector<int> launching_cores_, carrying_cores_;  // for threads of accelerators; none: any

  std::mutex mutex_;
  std::condition_variable done_;
  std::optional<StepScheduler> scheduler_;
  bool stopping_ = false, running_ = false, with_times_ = false;
  int busy_ = 0;             // threads at work
  int waiting_ = 0;          // of these, those that wait for memory
  std::uint64_t turns_ = 1;  // that have ended
  std::optional<std::string> failure_;
  Clock::time_point begin_;
  std::vector<EventPtr> events_;  // by op: its end, where others wait for it
  std::vector<TimedOp> timed_;    // by op
  std::vector<EventPtr> begin_events_;
  std::vector<TransferSpan> transfers_;
};

}  // namespace berth::exec

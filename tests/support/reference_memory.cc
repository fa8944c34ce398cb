// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/check.h"
#include "support/reference_parts.h"

namespace berth::reference {
namespace {

// Storage is named by the tensor it was allocated for and the device it is on; it lives in [start, end).
using Storage = std::pair<TensorId, DeviceId>;
struct Lifetime {
  Picoseconds start = 0, end = 0;
};
using Lifetimes = std::map<Storage, Lifetime>;

class LifetimeFinder {
 public:
  LifetimeFinder(const Problem& problem, const Tasks& tasks, const History& history)
      : problem_(problem), graph_(problem.graph()), tasks_(tasks), history_(history) {}

  Lifetimes find() {
    allocate();
    prolong();
    return std::move(lifetimes_);
  }

 private:
  void allocate() {
    // Rule 5: an output lives from the start of its op, and until that ends at the least. Inputs live from 0 to their
    // last use, which may be none; so one that a control edge holds back lives from 0 all the same.
    for (std::size_t task = 0; task < tasks_.all.size(); ++task) {
      for (const TensorId tensor : tasks_.all[task].outputs) {
        const Storage own{tensor, tasks_.all[task].device};
        if (storage_of(own.first, own.second) != own) continue;
        const bool input = !tasks_.all[task].fused && graph_.role(tasks_.all[task].id) == Role::kInput;
        lifetimes_[own] = input ? Lifetime{0, 0} : Lifetime{history_.start[task], history_.end[task]};
      }
    }
    // Rule 5: a received copy lives from the start of its last link.
    for (const Transfer& transfer : history_.transfers) {
      const Picoseconds start = transfer.hops.back().start;
      lifetimes_[{transfer.tensor, transfer.to}] = {start, start};
    }
  }

  void prolong() {
    // Rule 5: until its last consumer there has ended.
    for (std::size_t task = 0; task < tasks_.all.size(); ++task) {
      for (const TensorId tensor : tasks_.all[task].inputs) {
        hold(tensor, tasks_.all[task].device, history_.end[task]);
      }
    }
    // Rule 5: and its last transfer has left its first link.
    for (const Transfer& transfer : history_.transfers) {
      hold(transfer.tensor, transfer.from, transfer.hops.front().end);
    }
    // Rule 5: graph outputs to the end, on the device that made them.
    for (const TensorId tensor : graph_.graph_outputs()) hold(tensor, producer(tensor).device, history_.step_time);
  }

  // The storage a tensor uses on a device where it is; nothing for the home copy of something resident.
  [[nodiscard]] std::optional<Storage> storage_of(TensorId tensor, DeviceId device) const {
    // Rule 8: without overlap a constant is resident wherever it is read.
    const bool follows_consumers = !problem_.machine().overlap();
    if (follows_consumers && is_constant(problem_, tasks_, tasks_.of_op[index(graph_.producer(tensor))]))
      return std::nullopt;
    const Task& made_by = producer(tensor);
    if (made_by.device != device || made_by.fused) return Storage{tensor, device};  // received, or leaving a group
    const Role role = graph_.role(made_by.id);
    if (is_resident(role)) return std::nullopt;
    // Rule 5: a view shares the storage of the copy it was made from.
    if (role == Role::kView) return storage_of(graph_.inputs(made_by.id).front(), device);
    return Storage{tensor, device};
  }

  void hold(TensorId tensor, DeviceId device, Picoseconds until) {
    const std::optional<Storage> storage = storage_of(tensor, device);
    if (!storage) return;
    const auto lifetime = lifetimes_.find(*storage);
    BERTH_CHECK(lifetime != lifetimes_.end());
    lifetime->second.end = std::max(lifetime->second.end, until);
  }

  [[nodiscard]] const Task& producer(TensorId tensor) const {
    return tasks_.all[tasks_.of_op[index(graph_.producer(tensor))]];
  }

  const Problem& problem_;
  const Graph& graph_;
  const Tasks& tasks_;
  const History& history_;
  Lifetimes lifetimes_;
};

// Most bytes alive at one instant on the devices for which `counts` holds, residents included.
template <typename Counts>
Bytes peak_where(const Problem& problem, const Tasks& tasks, const Lifetimes& lifetimes, Counts counts) {
  const Graph& graph = problem.graph();
  // Rule 5: parameters, buffers and constants are resident on their device from before 0 to the end.
  Bytes now = 0;
  for (const OpId op : graph.ops()) {
    if (counts(tasks.all[tasks.of_op[index(op)]].device)) now += graph.resident_bytes(op);
  }
  // Rule 8: without overlap so are their copies, on every other device that reads them.
  for (const TensorId tensor : graph.tensors()) {
    const std::size_t made_by = tasks.of_op[index(graph.producer(tensor))];
    if (problem.machine().overlap() || !is_constant(problem, tasks, made_by)) continue;
    std::set<DeviceId> readers;
    for (const OpId consumer : graph.consumers(tensor)) readers.insert(tasks.all[tasks.of_op[index(consumer)]].device);
    readers.erase(tasks.all[made_by].device);
    for (const DeviceId device : readers) now += counts(device) ? graph.bytes(tensor) : 0;
  }
  // Rule 5: an empty lifetime takes nothing; frees of an instant (negative, so sorted first) come before its
  // allocations.
  std::vector<std::pair<Picoseconds, Bytes>> changes;
  for (const auto& [storage, lifetime] : lifetimes) {
    if (!counts(storage.second) || lifetime.start == lifetime.end) continue;
    changes.emplace_back(lifetime.start, graph.bytes(storage.first));
    changes.emplace_back(lifetime.end, -graph.bytes(storage.first));
  }
  std::sort(changes.begin(), changes.end());
  Bytes peak = now;
  for (const auto& [time, change] : changes) {
    now += change;
    peak = std::max(peak, now);
  }
  return peak;
}

}  // namespace

void judge_memory(const Problem& problem, const Tasks& tasks, const History& history, Score& score) {
  const Machine& machine = problem.machine();
  const Lifetimes lifetimes = LifetimeFinder(problem, tasks, history).find();
  Bytes over = 0;
  for (const DeviceId device : machine.device_ids()) {
    const Bytes peak = peak_where(problem, tasks, lifetimes, [&](DeviceId other) { return other == device; });
    score.devices[index(device)].peak = peak;
    if (machine.pool_of(device) < 0) over = std::max(over, peak - problem.capacity(device));
  }
  score.pool_peaks.clear();
  for (int pool = 0; pool < static_cast<int>(machine.pools().size()); ++pool) {
    const Bytes peak =
        peak_where(problem, tasks, lifetimes, [&](DeviceId device) { return machine.pool_of(device) == pool; });
    score.pool_peaks.push_back(peak);
    over = std::max(over, peak - problem.pool_capacity(pool));
  }
  score.feasible = over == 0;
  if (!score.feasible) {
    score.overflow = Overflow{};
    score.overflow->over = over;
  }
}

}  // namespace berth::reference

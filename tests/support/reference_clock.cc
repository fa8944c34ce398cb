// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <optional>
#include <tuple>

#include "base/check.h"
#include "support/reference_parts.h"

namespace berth::reference {
namespace {

class Clock {
 public:
  Clock(const Problem& problem, const Tasks& tasks)
      : problem_(problem),
        graph_(problem.graph()),
        machine_(problem.machine()),
        tasks_(tasks),
        state_(tasks.all.size(), State::kWaiting),
        present_(graph_.num_tensors(), std::vector<bool>(machine_.num_devices(), false)),
        waiting_on_(machine_.queues().size()),
        queue_free_at_(machine_.queues().size(), 0) {
    history_.ready.resize(tasks.all.size());
    history_.start.resize(tasks.all.size());
    history_.end.resize(tasks.all.size());
  }

  History run() {
    for (;;) {
      settle();
      queue_requests();
      start_ops();
      start_transfers();
      const std::optional<Picoseconds> next = next_instant();
      if (!next) break;
      now_ = *next;
    }
    // Rule 7: the step time is the end of the last op, timeless ones included.
    for (std::size_t task = 0; task < tasks_.all.size(); ++task) {
      BERTH_CHECK(state_[task] == State::kEnded);
      history_.step_time = std::max(history_.step_time, history_.end[task]);
    }
    return std::move(history_);
  }

 private:
  enum class State { kWaiting, kReady, kRunning, kEnded };

  // Rule 4: everything that ends at one instant takes effect before any lane or link picks, in any number of rounds.
  void settle() {
    while (end_running_ops() || end_hops() || pass_timeless_hops() || find_ready_ops()) {
    }
  }

  bool end_running_ops() {
    bool changed = false;
    for (std::size_t task = 0; task < tasks_.all.size(); ++task) {
      if (state_[task] == State::kRunning && history_.end[task] == now_) {
        end_task(task);
        changed = true;
      }
    }
    return changed;
  }

  // Rule 3: when an op ends, each output with consumers on other devices is sent once per destination device.
  void end_task(std::size_t which) {
    const Task& task = tasks_.all[which];
    state_[which] = State::kEnded;
    history_.end[which] = now_;
    for (const TensorId tensor : task.outputs) {
      present_[index(tensor)][index(task.device)] = true;
      std::set<DeviceId> destinations;
      for (const OpId consumer : graph_.consumers(tensor)) {
        destinations.insert(tasks_.all[tasks_.of_op[index(consumer)]].device);
      }
      destinations.erase(task.device);
      for (const DeviceId to : destinations) {
        Transfer transfer;
        transfer.tensor = tensor;
        transfer.from = task.device;
        transfer.to = to;
        history_.transfers.push_back(transfer);
      }
    }
  }

  // Rule 3: a route of several links stores and forwards: the tensor is at the next endpoint when the whole hop is
  // over.
  bool end_hops() {
    bool changed = false;
    for (Transfer& transfer : history_.transfers) {
      if (transfer.state == Transfer::State::kMoving && transfer.hops.back().end == now_) {
        reach_endpoint(transfer);
        changed = true;
      }
    }
    return changed;
  }

  void reach_endpoint(Transfer& transfer) {
    const bool at_the_end = transfer.hops.size() == machine_.route(transfer.from, transfer.to).size();
    transfer.state = at_the_end ? Transfer::State::kArrived : Transfer::State::kAtEndpoint;
    if (at_the_end) present_[index(transfer.tensor)][index(transfer.to)] = true;
  }

  // Rule 2: transfers that cost nothing take no link and are done the moment they are possible.
  bool pass_timeless_hops() {
    bool changed = false;
    for (Transfer& transfer : history_.transfers) {
      if (transfer.state == Transfer::State::kAtEndpoint && next_hop_time(transfer) == 0) {
        begin_hop(transfer);
        reach_endpoint(transfer);
        changed = true;
      }
    }
    return changed;
  }

  // Rule 2: ready when every input tensor is there and every control predecessor has ended; what has duration 0 is then
  // done.
  bool find_ready_ops() {
    bool changed = false;
    for (std::size_t task = 0; task < tasks_.all.size(); ++task) {
      if (state_[task] != State::kWaiting || !is_ready(task)) continue;
      changed = true;
      history_.ready[task] = now_;
      state_[task] = State::kReady;
      if (tasks_.all[task].duration == 0) {
        history_.start[task] = now_;
        end_task(task);
      }
    }
    return changed;
  }

  [[nodiscard]] bool is_ready(std::size_t which) const {
    const Task& task = tasks_.all[which];
    for (const TensorId tensor : task.inputs) {
      if (!present_[index(tensor)][index(task.device)]) return false;
    }
    for (const std::size_t before : task.control) {
      if (state_[before] != State::kEnded || signal_time(before, which) > now_) return false;
    }
    return true;
  }

  // Rule 3: a remote control edge costs the route's latency and occupies nothing.
  [[nodiscard]] Picoseconds signal_time(std::size_t before, std::size_t after) const {
    const DeviceId from = tasks_.all[before].device;
    const DeviceId to = tasks_.all[after].device;
    return history_.end[before] + (from == to ? 0 : problem_.control_latency(from, to));
  }

  [[nodiscard]] int next_channel(const Transfer& transfer) const {
    return machine_.route(transfer.from, transfer.to)[transfer.hops.size()];
  }
  [[nodiscard]] Picoseconds next_hop_time(const Transfer& transfer) const {
    return problem_.transfer_time(graph_.bytes(transfer.tensor), next_channel(transfer));
  }
  void begin_hop(Transfer& transfer) {
    transfer.hops.push_back({next_channel(transfer), now_, now_ + next_hop_time(transfer)});
    transfer.state = Transfer::State::kMoving;
  }

  // Rule 3: an uncontended link has no queue. On the others the requests of one instant, those that arrived at a relay
  // included, queue by producer id, output index (together: the tensor id) and final destination, behind all that wait.
  void queue_requests() {
    std::vector<std::vector<std::size_t>> requests(waiting_on_.size());
    for (std::size_t i = 0; i < history_.transfers.size(); ++i) {
      Transfer& transfer = history_.transfers[i];
      if (transfer.state != Transfer::State::kAtEndpoint) continue;
      const int queue = machine_.channels()[static_cast<std::size_t>(next_channel(transfer))].queue;
      if (queue < 0) {
        begin_hop(transfer);
      } else {
        transfer.state = Transfer::State::kQueued;
        requests[static_cast<std::size_t>(queue)].push_back(i);
      }
    }
    const auto order = [&](std::size_t i) {
      return std::tuple(history_.transfers[i].tensor, history_.transfers[i].to);
    };
    for (std::size_t queue = 0; queue < requests.size(); ++queue) {
      auto& list = requests[queue];
      std::sort(list.begin(), list.end(), [&](std::size_t a, std::size_t b) { return order(a) < order(b); });
      waiting_on_[queue].insert(waiting_on_[queue].end(), list.begin(), list.end());
    }
  }

  // Rule 3: a link queue carries one transfer at a time, first come first served.
  void start_transfers() {
    for (std::size_t queue = 0; queue < waiting_on_.size(); ++queue) {
      if (waiting_on_[queue].empty() || queue_free_at_[queue] > now_) continue;
      Transfer& transfer = history_.transfers[waiting_on_[queue].front()];
      waiting_on_[queue].pop_front();
      begin_hop(transfer);
      queue_free_at_[queue] = transfer.hops.back().end;
    }
  }

  // Rule 1: one op per lane, no preemption, no idling; highest priority, then earliest ready time, then lowest op id.
  void start_ops() {
    for (const DeviceId device : machine_.device_ids()) {
      for (int lane = running_on(device); lane < machine_.device(device).lanes; ++lane) {
        const std::optional<std::size_t> best = best_ready(device);
        if (!best) break;
        state_[*best] = State::kRunning;
        history_.start[*best] = now_;
        history_.end[*best] = now_ + tasks_.all[*best].duration;
      }
    }
  }

  [[nodiscard]] int running_on(DeviceId device) const {
    int count = 0;
    for (std::size_t task = 0; task < tasks_.all.size(); ++task) {
      if (state_[task] == State::kRunning && tasks_.all[task].device == device) ++count;
    }
    return count;
  }

  [[nodiscard]] std::optional<std::size_t> best_ready(DeviceId device) const {
    const auto order = [&](std::size_t task) {
      return std::tuple(-tasks_.all[task].priority, history_.ready[task], tasks_.all[task].id);
    };
    std::optional<std::size_t> best;
    for (std::size_t task = 0; task < tasks_.all.size(); ++task) {
      if (state_[task] != State::kReady || tasks_.all[task].device != device) continue;
      if (!best || order(task) < order(*best)) best = task;
    }
    return best;
  }

  // The next time at which an op or a hop ends or a control signal arrives.
  [[nodiscard]] std::optional<Picoseconds> next_instant() const {
    std::optional<Picoseconds> next;
    const auto consider = [&](Picoseconds time) {
      if (time > now_ && (!next || time < *next)) next = time;
    };
    for (std::size_t task = 0; task < tasks_.all.size(); ++task) {
      if (state_[task] == State::kRunning) consider(history_.end[task]);
      if (state_[task] != State::kWaiting) continue;
      for (const std::size_t before : tasks_.all[task].control) {
        if (state_[before] == State::kEnded) consider(signal_time(before, task));
      }
    }
    for (const Transfer& transfer : history_.transfers) {
      if (transfer.state == Transfer::State::kMoving) consider(transfer.hops.back().end);
    }
    return next;
  }

  const Problem& problem_;
  const Graph& graph_;
  const Machine& machine_;
  const Tasks& tasks_;
  Picoseconds now_ = 0;
  History history_;
  std::vector<State> state_;
  std::vector<std::vector<bool>> present_;           // [tensor][device]
  std::vector<std::deque<std::size_t>> waiting_on_;  // per queue, indices into history_.transfers
  std::vector<Picoseconds> queue_free_at_;
};

}  // namespace

History run_clock(const Problem& problem, const Tasks& tasks) { return Clock(problem, tasks).run(); }

}  // namespace berth::reference

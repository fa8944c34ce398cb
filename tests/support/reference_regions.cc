// SPDX-License-Identifier: Apache-2.0
// Rule 8 of docs/simulator.md, written to be read beside it: sets, flooding and a table of who waits for whom.
#include <algorithm>
#include <map>
#include <optional>

#include "base/check.h"
#include "support/reference_parts.h"

namespace berth::reference {
namespace {

using Region = std::set<std::size_t>;  // tasks

class RegionRun {
 public:
  RegionRun(const Problem& problem, const Tasks& tasks) : problem_(problem), graph_(problem.graph()), tasks_(tasks) {
    const std::size_t count = tasks.all.size();
    history_.ready.resize(count);
    history_.start.resize(count);
    history_.end.resize(count);
    before_.resize(count);
    for (std::size_t task = 0; task < count; ++task) {
      for (const TensorId tensor : tasks.all[task].inputs)
        before_[task].insert(tasks.of_op[index(graph_.producer(tensor))]);
      before_[task].insert(tasks.all[task].control.begin(), tasks.all[task].control.end());
      if (runs(task)) running_.insert(task);
    }
    topological_ = sort_topologically();
  }

  History run() {
    // "connected by data or control edges on one device"
    std::vector<Region> regions = connected([&](std::size_t a, std::size_t b) { return device(a) == device(b); });
    // "Regions that wait for each other in a circle fall apart into connected parts of equal depth"
    const std::map<std::size_t, std::size_t> region_of = positions(regions);
    const std::vector<std::vector<bool>> waits = find_waits(regions, region_of);
    const std::map<std::size_t, int> depth = find_depths(region_of, waits);
    regions = connected(
        [&](std::size_t a, std::size_t b) { return region_of.at(a) == region_of.at(b) && depth.at(a) == depth.at(b); });
    run_in_order(regions);
    history_.step_time = now_;
    return std::move(history_);
  }

 private:
  [[nodiscard]] bool runs(std::size_t task) const {
    const bool is_input = !tasks_.all[task].fused && graph_.role(tasks_.all[task].id) == Role::kInput;
    return !is_input && !is_constant(problem_, tasks_, task);
  }
  [[nodiscard]] DeviceId device(std::size_t task) const { return tasks_.all[task].device; }

  // Tasks that run, flooded over edges between tasks that `together` accepts.
  template <typename Together>
  std::vector<Region> connected(Together together) const {
    std::vector<Region> regions;
    Region left = running_;
    while (!left.empty()) {
      Region region{*left.begin()};
      for (bool grows = true; grows;) {
        grows = false;
        for (const std::size_t task : running_) {
          for (const std::size_t other : before_[task]) {
            if (!running_.contains(other) || region.contains(task) == region.contains(other)) continue;
            if (!together(task, other)) continue;
            region.insert(task);
            region.insert(other);
            grows = true;
          }
        }
      }
      for (const std::size_t task : region) left.erase(task);
      regions.push_back(region);
    }
    return regions;
  }

  static std::map<std::size_t, std::size_t> positions(const std::vector<Region>& regions) {
    std::map<std::size_t, std::size_t> position;
    for (std::size_t i = 0; i < regions.size(); ++i) {
      for (const std::size_t task : regions[i]) position[task] = i;
    }
    return position;
  }

  // waits[a][b]: region a waits for region b, perhaps by way of others.
  [[nodiscard]] std::vector<std::vector<bool>> find_waits(const std::vector<Region>& regions,
                                                          const std::map<std::size_t, std::size_t>& region_of) const {
    std::vector<std::vector<bool>> waits(regions.size(), std::vector<bool>(regions.size(), false));
    for (const std::size_t task : running_) {
      for (const std::size_t other : before_[task]) {
        if (running_.contains(other)) waits[region_of.at(task)][region_of.at(other)] = true;
      }
    }
    for (std::size_t via = 0; via < regions.size(); ++via) {
      for (std::size_t a = 0; a < regions.size(); ++a) {
        if (!waits[a][via]) continue;
        for (std::size_t b = 0; b < regions.size(); ++b) waits[a][b] = waits[a][b] || waits[via][b];
      }
    }
    return waits;
  }

  // "the most changes of region on any way to it through its circle"
  [[nodiscard]] std::map<std::size_t, int> find_depths(const std::map<std::size_t, std::size_t>& region_of,
                                                       const std::vector<std::vector<bool>>& waits) const {
    std::map<std::size_t, int> depth;
    for (const std::size_t task : running_) depth[task] = 0;
    for (bool changes = true; changes;) {
      changes = false;
      for (const std::size_t task : running_) {
        for (const std::size_t other : before_[task]) {
          if (!running_.contains(other)) continue;
          const std::size_t here = region_of.at(task), there = region_of.at(other);
          if (here != there && !(waits[here][there] && waits[there][here])) continue;
          const int reached = depth[other] + (here == there ? 0 : 1);
          if (reached > depth[task]) {
            depth[task] = reached;
            changes = true;
          }
        }
      }
    }
    return depth;
  }

  // "one after the other in topological order; of those that are free, that with the lowest op id"
  void run_in_order(std::vector<Region> regions) {
    std::set<std::size_t> done;
    for (std::size_t task = 0; task < tasks_.all.size(); ++task) {
      if (!running_.contains(task)) done.insert(task);
    }
    while (!regions.empty()) {
      std::optional<std::size_t> best;
      for (std::size_t i = 0; i < regions.size(); ++i) {
        if (is_free(regions[i], done) && (!best || lowest(regions[i]) < lowest(regions[*best]))) best = i;
      }
      BERTH_CHECK(best.has_value());
      run_region(regions[*best]);
      done.insert(regions[*best].begin(), regions[*best].end());
      regions.erase(regions.begin() + static_cast<std::ptrdiff_t>(*best));
    }
  }

  [[nodiscard]] bool is_free(const Region& region, const std::set<std::size_t>& done) const {
    return std::ranges::all_of(region, [&](std::size_t task) {
      return std::ranges::all_of(before_[task],
                                 [&](std::size_t other) { return done.contains(other) || region.contains(other); });
    });
  }
  [[nodiscard]] OpId lowest(const Region& region) const {
    OpId lowest = kNoOp;
    for (const std::size_t task : region) lowest = std::min(lowest, tasks_.all[task].id);
    return lowest;
  }

  // "a fixed cost, then the transfers of what it lacks, then its ops"
  void run_region(const Region& region) {
    now_ += problem_.region_cost();
    std::set<TensorId> lacks;
    const DeviceId here = device(*region.begin());
    for (const std::size_t task : region) {
      for (const TensorId tensor : tasks_.all[task].inputs) {
        const std::size_t producer = tasks_.of_op[index(graph_.producer(tensor))];
        const bool is_elsewhere = device(producer) != here && !is_constant(problem_, tasks_, producer);
        if (is_elsewhere && !received_.contains({tensor, here})) lacks.insert(tensor);
      }
    }
    for (const TensorId tensor : lacks) receive(tensor, here);
    for (const std::size_t task : topological_) {
      if (!region.contains(task)) continue;
      history_.ready[task] = history_.start[task] = now_;
      now_ += tasks_.all[task].duration;
      history_.end[task] = now_;
    }
  }

  void receive(TensorId tensor, DeviceId here) {
    Transfer transfer;
    transfer.tensor = tensor;
    transfer.from = device(tasks_.of_op[index(graph_.producer(tensor))]);
    transfer.to = here;
    transfer.state = Transfer::State::kArrived;
    for (const std::uint16_t channel : problem_.machine().route(transfer.from, here)) {
      const Picoseconds end = now_ + problem_.transfer_time(graph_.bytes(tensor), channel);
      transfer.hops.push_back({channel, now_, end});
      now_ = end;
    }
    history_.transfers.push_back(transfer);
    received_.insert({tensor, here});
  }

  // "in topological order, lowest id first among the free"
  [[nodiscard]] std::vector<std::size_t> sort_topologically() const {
    std::vector<std::size_t> order;
    std::set<std::size_t> done;
    while (order.size() < tasks_.all.size()) {
      std::optional<std::size_t> best;
      for (std::size_t task = 0; task < tasks_.all.size(); ++task) {
        if (done.contains(task) || (best && tasks_.all[task].id > tasks_.all[*best].id)) continue;
        if (std::ranges::all_of(before_[task], [&](std::size_t other) { return done.contains(other); })) best = task;
      }
      BERTH_CHECK(best.has_value());
      order.push_back(*best);
      done.insert(*best);
    }
    return order;
  }

  const Problem& problem_;
  const Graph& graph_;
  const Tasks& tasks_;
  std::vector<std::set<std::size_t>> before_;  // tasks that must have ended
  Region running_;
  std::vector<std::size_t> topological_;
  std::set<std::pair<TensorId, DeviceId>> received_;
  Picoseconds now_ = 0;
  History history_;
};

}  // namespace

// "parameters, buffers and constants, and views of such alone that wait for nothing else"
bool is_constant(const Problem& problem, const Tasks& tasks, std::size_t task) {
  if (tasks.all[task].fused) return false;
  const Graph& graph = problem.graph();
  const OpId op = tasks.all[task].id;
  if (is_resident(graph.role(op))) return true;
  if (graph.role(op) != Role::kView) return false;
  if (!graph.control_inputs(op).empty()) return false;
  return std::ranges::all_of(graph.inputs(op), [&](TensorId tensor) {
    return is_constant(problem, tasks, tasks.of_op[index(graph.producer(tensor))]);
  });
}

History run_regions(const Problem& problem, const Tasks& tasks) { return RegionRun(problem, tasks).run(); }

}  // namespace berth::reference

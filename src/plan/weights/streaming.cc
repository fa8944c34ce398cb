// SPDX-License-Identifier: Apache-2.0
#include "plan/weights/streaming.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "machine/device_set.h"
#include "plan/search/placement.h"
#include "problem/memory_domains.h"
#include "sim/simulator.h"

namespace berth {
namespace {

constexpr int kMostRounds = 12;
constexpr Bytes kCrumbs =
    256;  // weights below this part of what is over stay: little room, and the first op may wait for them
constexpr double kFull = 0.9;   // share of a memory that weights may fill; the rest is for activations
constexpr double kExtra = 1.2;  // bytes to move for every byte over: what is sent needs room for a while

// The longest part of the list whose numbers rise. Weights are sent in the order of their ids (units are numbered like
// them), so one that is used first and sent last would hold up all others.
std::vector<std::uint32_t> longest_rising(const std::vector<std::uint32_t>& numbers) {
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> ends, before(numbers.size(), kNone);  // ends[n]: place of the least end of a part of n + 1
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto at = std::ranges::lower_bound(ends, numbers[i], {}, [&](std::size_t end) { return numbers[end]; });
    if (at != ends.begin()) before[i] = *(at - 1);
    if (at == ends.end()) {
      ends.push_back(i);
    } else {
      *at = i;
    }
  }
  std::vector<std::uint32_t> rising;
  for (std::size_t i = ends.empty() ? kNone : ends.back(); i != kNone; i = before[i]) rising.push_back(numbers[i]);
  std::ranges::reverse(rising);
  return rising;
}

class WeightStreamer {
 public:
  WeightStreamer(Search& search, Plan plan)
      : search_(search),
        problem_(search.problem()),
        domains_(problem_),
        simulator_(problem_),
        plan_(std::move(plan)),
        moved_in_(domains_.size(), 0) {
    for (std::uint32_t unit = 0; unit < problem_.num_units(); ++unit) {
      if (holds_weights_alone(unit)) weights_.push_back(unit);
    }
  }

  std::optional<Plan> run() {
    if (problem_.objective() != Objective::kStep || weights_.empty()) return std::nullopt;
    for (int round = 0; round < kMostRounds && !search_.should_stop(); ++round) {
      const Timeline timeline = simulator_.run_with_timeline(plan_);
      search_.count_evaluations(1);
      if (timeline.score.feasible) return verify(problem_, plan_) ? std::nullopt : std::optional(plan_);
      if (!relieve(timeline)) return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] bool holds_weights_alone(std::uint32_t unit) const {
    const auto ops = problem_.unit_ops(unit);
    return !std::has_single_bit(problem_.unit_allowed(unit)) && resident_of(unit) > 0 &&
           std::ranges::all_of(ops, [&](OpId op) { return is_resident(problem_.graph().role(op)); });
  }

  [[nodiscard]] Bytes resident_of(std::uint32_t unit) const {
    Bytes sum = 0;
    for (const OpId op : problem_.unit_ops(unit)) sum += problem_.resident_bytes(op);
    return sum;
  }

  // Moves enough out of the memory that is most over its capacity; false if nothing can go.
  bool relieve(const Timeline& timeline) {
    const Overflow& overflow = *timeline.score.overflow;
    const std::size_t full = domains_.of(overflow.device);
    auto wanted = static_cast<Bytes>(kExtra * static_cast<double>(overflow.over));
    const Bytes before = wanted;
    for (const std::uint32_t unit : by_first_use(full, timeline)) {
      if (wanted <= 0) break;
      if (resident_of(unit) < overflow.over / kCrumbs) continue;
      const DeviceId target = roomiest(unit, full, timeline.score);
      if (target == kNoDevice) continue;
      see_through(unit);  // views go along: they are sent after the inputs of the step, the weights themselves before
      for (const OpId op : seen_through_) {
        if ((problem_.allowed(op) & device_bit(target)) == 0) continue;  // of its whole unit
        for (const OpId member : problem_.unit_ops(problem_.unit(op))) plan_.device_of[index(member)] = target;
      }
      moved_in_[domains_.of(target)] += resident_of(unit);
      wanted -= resident_of(unit);
    }
    std::ranges::fill(moved_in_, 0);
    return wanted < before;
  }

  [[nodiscard]] std::vector<std::uint32_t> by_first_use(std::size_t domain, const Timeline& timeline) {
    std::vector<std::pair<Picoseconds, std::uint32_t>> uses;
    for (const std::uint32_t unit : weights_) {
      if (domains_.of(plan_.device(problem_.unit_ops(unit).front())) != domain) continue;
      uses.emplace_back(first_use(unit, timeline), unit);
    }
    std::ranges::sort(uses);
    std::vector<std::uint32_t> units;
    for (const auto& [time, unit] : uses) units.push_back(unit);
    return longest_rising(units);
  }

  // The ops of a unit and all views of what they make.
  void see_through(std::uint32_t unit) {
    const Graph& graph = problem_.graph();
    const auto ops = problem_.unit_ops(unit);
    seen_through_.assign(ops.begin(), ops.end());
    for (std::size_t next = 0; next < seen_through_.size(); ++next) {
      for (const TensorId tensor : graph.outputs(seen_through_[next])) {
        for (const OpId reader : graph.consumers(tensor)) {
          if (graph.role(reader) == Role::kView && graph.inputs(reader).front() == tensor)
            seen_through_.push_back(reader);
        }
      }
    }
  }

  // When the first reader ends, also of a view.
  [[nodiscard]] Picoseconds first_use(std::uint32_t unit, const Timeline& timeline) {
    const Graph& graph = problem_.graph();
    Picoseconds first = std::numeric_limits<Picoseconds>::max();
    see_through(unit);
    for (const OpId op : seen_through_) {
      for (const TensorId tensor : graph.outputs(op)) {
        for (const OpId reader : graph.consumers(tensor)) {
          if (graph.role(reader) != Role::kView) first = std::min(first, timeline.op_end[index(reader)]);
        }
      }
    }
    return first;
  }

  // The device of another memory that has most room left, if the unit fits there.
  [[nodiscard]] DeviceId roomiest(std::uint32_t unit, std::size_t except, const Score& score) {
    DeviceId best = kNoDevice;
    Bytes most = resident_of(unit);
    for (const DeviceId device : problem_.machine().device_ids()) {
      const std::size_t domain = domains_.of(device);
      if (domain == except || (problem_.unit_allowed(unit) & device_bit(device)) == 0) continue;
      const Bytes left = domains_.capacity(domain) - peak_of(domain, score) - moved_in_[domain];
      if (left < most) continue;
      best = device;
      most = left;
    }
    return best;
  }

  [[nodiscard]] Bytes peak_of(std::size_t domain, const Score& score) const {
    const std::size_t pools = score.pool_peaks.size();
    if (domain < pools) return score.pool_peaks[domain];
    const DeviceSet own = domains_.devices(domain);
    return score.devices[index(lowest_device(own))].peak;
  }

  Search& search_;
  const Problem& problem_;
  const MemoryDomains domains_;
  Simulator simulator_;
  Plan plan_;
  std::vector<std::uint32_t> weights_;  // units that may be kept elsewhere
  std::vector<Bytes> moved_in_;         // per domain, in this round
  std::vector<OpId> seen_through_;      // workspace
};

}  // namespace

bool outgrows_workers(const Problem& problem) {
  const MemoryDomains domains(problem);
  std::vector<bool> counted(domains.size(), false);
  Bytes left = 0;
  for (const OpId op : problem.graph().ops()) left += problem.resident_bytes(op);
  for (const DeviceId worker : worker_devices(problem)) {
    if (left <= 0) break;  // also because many unlimited capacities are more than a number holds
    if (!counted[domains.of(worker)]) left -= problem.capacity(worker);
    counted[domains.of(worker)] = true;
  }
  return left > 0;
}

Plan fill_from_the_end(const Problem& problem) {
  const Graph& graph = problem.graph();
  const std::vector<DeviceId> workers = worker_devices(problem);
  std::vector<DeviceId> wanted(problem.num_units(), kNoDevice);
  std::size_t current = workers.size() - 1;
  Bytes filled = 0;
  std::vector<OpId> made_for;
  const auto order = graph.topological_order();
  for (auto op = order.rbegin(); op != order.rend(); ++op) {
    if (graph.role(*op) != Role::kCompute || wanted[problem.unit(*op)] != kNoDevice) continue;
    const auto full = static_cast<Bytes>(kFull * static_cast<double>(problem.capacity(workers[current])));
    if (filled >= full && current > 0) {
      --current;
      filled = 0;
    }
    made_for.assign(1, *op);
    for (std::size_t next = 0; next < made_for.size(); ++next) {  // with the weights it reads, through views
      wanted[problem.unit(made_for[next])] = workers[current];
      filled += problem.resident_bytes(made_for[next]);
      for (const TensorId tensor : graph.distinct_inputs(made_for[next])) {
        const OpId source = graph.producer(tensor);
        if (graph.role(source) != Role::kCompute && wanted[problem.unit(source)] == kNoDevice)
          made_for.push_back(source);
      }
    }
  }
  std::ranges::replace(wanted, kNoDevice, workers.front());
  return plan_from_units(problem, wanted);
}

std::optional<Plan> stream_weights(Search& search, Plan plan) { return WeightStreamer(search, std::move(plan)).run(); }

}  // namespace berth

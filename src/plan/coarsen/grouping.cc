// SPDX-License-Identifier: Apache-2.0
#include "plan/coarsen/grouping.h"

#include <algorithm>
#include <bit>

#include "base/sole_number.h"
#include "plan/coarsen/group_joiner.h"
#include "plan/search/unloaded_times.h"

namespace berth {

Grouping one_group_per_unit(const Problem& problem) {
  Grouping grouping;
  for (std::uint32_t unit = 0; unit < problem.num_units(); ++unit) {
    grouping.of_unit.push_back(unit);
    grouping.allowed.push_back(problem.unit_allowed(unit));
  }
  return grouping;
}

Grouping join_views(const Problem& problem, const Grouping& finer) {
  const Graph& graph = problem.graph();
  GroupJoiner joiner(problem, finer, {});
  for (const OpId op : graph.topological_order()) {
    if (graph.role(op) != Role::kView) continue;
    joiner.join(finer.of(problem, graph.producer(graph.inputs(op).front())), finer.of(problem, op));
  }
  return joiner.finish();
}

Grouping join_gradients(const Problem& problem, const Grouping& finer, const GroupLimits& limits) {
  const Graph& graph = problem.graph();
  GroupJoiner joiner(problem, finer, limits);
  for (const OpId op : graph.topological_order()) {
    const OpId forward = graph.forward_of(op);
    if (forward != kNoOp) joiner.join(finer.of(problem, forward), finer.of(problem, op));
  }
  return joiner.finish();
}

Grouping join_only_consumers(const Problem& problem, const Grouping& finer, const GroupLimits& limits) {
  const Graph& graph = problem.graph();
  GroupJoiner joiner(problem, finer, limits);
  const auto order = graph.topological_order();
  for (bool changed = true; changed;) {
    changed = false;
    for (auto op = order.rbegin(); op != order.rend(); ++op) {  // from the sinks: a chain joins in one sweep
      const std::uint32_t own = joiner.root(finer.of(problem, *op));
      SoleNumber only;
      for (const TensorId tensor : graph.outputs(*op)) {
        for (const OpId consumer : graph.consumers(tensor)) {
          const std::uint32_t group = joiner.root(finer.of(problem, consumer));
          if (group != own) only.see(group);
        }
      }
      if (only.exists()) changed |= joiner.join(own, only.number());
    }
  }
  return joiner.finish();
}

Grouping join_heavy_tensors(const Problem& problem, const Grouping& finer, const GroupLimits& limits) {
  const Graph& graph = problem.graph();
  std::vector<TensorId> tensors;
  for (const OpId op : graph.topological_order()) {
    for (const TensorId tensor : graph.outputs(op)) tensors.push_back(tensor);
  }
  std::ranges::stable_sort(tensors, std::greater<>(), [&](TensorId tensor) { return graph.bytes(tensor); });
  GroupJoiner joiner(problem, finer, limits);
  for (const TensorId tensor : tensors) {
    const std::uint32_t producer = finer.of(problem, graph.producer(tensor));
    for (const OpId consumer : graph.consumers(tensor)) joiner.join(producer, finer.of(problem, consumer));
  }
  return joiner.finish();
}

Grouping join_equal_labels(const Problem& problem, const Grouping& finer, std::span<const std::uint32_t> of_op,
                           const GroupLimits& limits) {
  GroupJoiner joiner(problem, finer, limits);
  const std::size_t devices = problem.machine().num_devices();
  constexpr std::uint32_t kNone = 0xffffffffU;
  std::vector<std::uint32_t> first_of;  // [label * devices + device]
  for (const OpId op : problem.graph().ops()) {
    const std::size_t device = limits.within == nullptr ? 0 : index(limits.within->device(op));
    const std::size_t key = of_op[index(op)] * devices + device;
    if (key >= first_of.size()) first_of.resize(key + 1, kNone);
    const std::uint32_t group = finer.of(problem, op);
    std::uint32_t& first = first_of[key];
    // A pinned input that happens to come first must not keep the others apart.
    if (first == kNone || std::popcount(finer.allowed[first]) < std::popcount(finer.allowed[group])) {
      first = group;
    } else {
      joiner.join(first, group);
    }
  }
  return joiner.finish();
}

GroupWeights weigh_groups(const Problem& problem, const Grouping& grouping) {
  GroupWeights weights{std::vector<Picoseconds>(grouping.size(), 0), std::vector<Bytes>(grouping.size(), 0)};
  for (const OpId op : problem.graph().ops()) {
    const std::uint32_t group = grouping.of(problem, op);
    weights.work[group] += least_time(problem, op);
    weights.resident[group] += problem.resident_bytes(op);
  }
  return weights;
}

std::vector<Bytes> bytes_of_groups(const Problem& problem, const Grouping& grouping) {
  const Graph& graph = problem.graph();
  std::vector<Bytes> bytes(grouping.size(), 0);
  for (const OpId op : graph.ops()) {
    Bytes& sum = bytes[grouping.of(problem, op)];
    sum += problem.resident_bytes(op);
    if (graph.role(op) != Role::kCompute && graph.role(op) != Role::kInput) continue;
    for (const TensorId tensor : graph.outputs(op)) sum += graph.bytes(tensor);
  }
  return bytes;
}

GroupMembers list_members(const Grouping& grouping) {
  GroupMembers members;
  members.begin.assign(grouping.size() + 1, 0);
  for (const std::uint32_t group : grouping.of_unit) ++members.begin[group + 1];
  for (std::size_t i = 1; i < members.begin.size(); ++i) members.begin[i] += members.begin[i - 1];
  std::vector<std::uint32_t> next(members.begin.begin(), members.begin.end() - 1);
  members.units.resize(grouping.of_unit.size());
  for (std::uint32_t unit = 0; unit < grouping.of_unit.size(); ++unit)
    members.units[next[grouping.of_unit[unit]]++] = unit;
  return members;
}

Plan plan_from_groups(const Problem& problem, const Grouping& grouping, std::span<const DeviceId> device_of_group) {
  Plan plan;
  plan.device_of.reserve(problem.graph().num_ops());
  for (const OpId op : problem.graph().ops()) plan.device_of.push_back(device_of_group[grouping.of(problem, op)]);
  return plan;
}

}  // namespace berth

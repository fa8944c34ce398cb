// SPDX-License-Identifier: Apache-2.0
#include "problem/unit_table.h"

#include <algorithm>

#include "base/disjoint_sets.h"

namespace berth {
namespace {

void join_groups(const Graph& graph, DisjointSets& sets) {
  std::vector<OpId> first_of(graph.colocation_names().size(), kNoOp);
  for (const OpId op : graph.ops()) {
    const int group = graph.colocation_group(op);
    if (group < 0) continue;
    OpId& first = first_of[static_cast<std::size_t>(group)];
    if (first == kNoOp) first = op;
    sets.unite(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(op));
  }
}

void number_units(const Graph& graph, DisjointSets& sets, UnitTable& units) {
  units.of.resize(graph.num_ops());
  std::vector<std::uint32_t> size;
  for (const OpId op : graph.ops()) {  // the root is the lowest member, so it is numbered before the others ask
    const std::uint32_t root = sets.root(static_cast<std::uint32_t>(op));
    if (root == static_cast<std::uint32_t>(op)) {
      units.of[root] = static_cast<std::uint32_t>(size.size());
      size.push_back(0);
    }
    units.of[index(op)] = units.of[root];
    ++size[units.of[root]];
  }
  units.begin.assign(1, 0);
  for (const std::uint32_t count : size) units.begin.push_back(units.begin.back() + count);
  std::vector<std::uint32_t> next(units.begin.begin(), units.begin.end() - 1);
  units.ops.resize(graph.num_ops());
  for (const OpId op : graph.ops()) units.ops[next[units.of[index(op)]]++] = op;
}

// Units in which the user ties inputs to other ops: the inputs go with those, not those with the inputs.
std::vector<std::uint8_t> find_tied(const Graph& graph, const Constraints& constraints, const UnitTable& units) {
  std::vector<std::uint8_t> tied(units.size(), 0);
  for (const auto& set : constraints.together) {
    const bool only_inputs = std::ranges::all_of(set, [&](OpId op) { return graph.role(op) == Role::kInput; });
    if (!only_inputs) tied[units.of[index(set.front())]] = 1;
  }
  return tied;
}

// A default, not a demand: it gives way where what the user says leaves no first CPU.
void pin_inputs(const Graph& graph, const Machine& machine, const Constraints& constraints, UnitTable& units) {
  const auto cpu = machine.first_of(DeviceKind::kCpu);
  if (!cpu) return;
  const std::vector<std::uint8_t> tied = find_tied(graph, constraints, units);
  for (const OpId op : graph.ops()) {
    const std::uint32_t unit = units.of[index(op)];
    DeviceSet& set = units.allowed[unit];
    const bool free = graph.role(op) == Role::kInput && tied[unit] == 0;
    if (free && (set & device_bit(*cpu)) != 0) set = device_bit(*cpu);
  }
}

}  // namespace

UnitTable make_unit_table(const Graph& graph, const Machine& machine, const Constraints& constraints,
                          std::span<const DeviceSet> runnable, bool graph_groups) {
  DisjointSets sets(graph.num_ops());
  if (graph_groups) join_groups(graph, sets);
  for (const auto& set : constraints.together) {
    for (const OpId op : set) sets.unite(static_cast<std::uint32_t>(set.front()), static_cast<std::uint32_t>(op));
  }
  UnitTable units;
  number_units(graph, sets, units);
  units.allowed.assign(units.begin.size() - 1, ~DeviceSet{0});
  for (const OpId op : graph.ops()) units.allowed[units.of[index(op)]] &= runnable[index(op)];
  for (std::size_t op = 0; op < constraints.allowed.size(); ++op) {
    units.allowed[units.of[op]] &= constraints.allowed[op];
  }
  for (const auto& pin : constraints.pins) units.allowed[units.of[index(pin.op)]] &= device_bit(pin.device);
  for (const auto& forbid : constraints.forbids) {
    units.allowed[units.of[index(forbid.op)]] &= ~device_bit(forbid.device);
  }
  if (constraints.inputs_on_first_cpu) pin_inputs(graph, machine, constraints, units);
  return units;
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include "problem/conflict.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "base/text.h"
#include "machine/device_set.h"
#include "problem/capacities.h"
#include "problem/unit_table.h"

namespace berth {
namespace {

constexpr int kMostTries = 20'000;        // of a choice of devices
constexpr std::size_t kMostExamples = 3;  // ops that an error names

// "op 'a'", "ops 'a' and 'b', which must share one", "op 'a' and the 5 ops that must share one with it".
std::string name_of_unit(const Graph& graph, std::span<const OpId> ops) {
  const std::string_view first = graph.name(ops.front());
  if (ops.size() == 1) return fmt::format("op '{}'", first);
  if (ops.size() == 2) return fmt::format("ops '{}' and '{}', which must share one", first, graph.name(ops.back()));
  return fmt::format("op '{}' and the {} ops that must share one with it", first, ops.size() - 1);
}

// " (op 'a' runs on cpu only)": ops of a unit that cannot run everywhere by themselves.
std::string own_limits(const Problem& problem, std::span<const OpId> ops) {
  const Machine& machine = problem.machine();
  std::vector<DeviceSet> seen;
  std::vector<std::string> limits;
  for (const OpId op : ops) {
    const DeviceSet set = problem.runnable(op);
    const bool everywhere = static_cast<std::size_t>(std::popcount(set)) == machine.num_devices();
    if (everywhere || limits.size() == kMostExamples || std::ranges::find(seen, set) != seen.end()) continue;
    seen.push_back(set);
    limits.push_back(fmt::format("op '{}' runs on {} only", problem.graph().name(op), names_of(machine, set)));
  }
  return limits.empty() ? "" : fmt::format(" ({})", join(limits, ", "));
}

std::optional<std::string> find_overdrawn(const Machine& machine, const Constraints& constraints) {
  std::vector<Bytes> from_pool(machine.pools().size(), 0);
  for (const DeviceId id : machine.device_ids()) {
    const Bytes reserved = constraints.reserve.empty() ? 0 : constraints.reserve[index(id)];
    const int pool = machine.pool_of(id);
    Bytes drawn = reserved;
    if (pool >= 0) drawn = from_pool[static_cast<std::size_t>(pool)] += reserved;
    if (drawn <= machine.capacity(id)) continue;
    const std::string where = pool >= 0 ? fmt::format("pool {}", machine.pools()[static_cast<std::size_t>(pool)].name)
                                        : machine.device(id).name;
    return fmt::format("{} are reserved on {}, which has {}", format_bytes(drawn), where,
                       format_bytes(machine.capacity(id)));
  }
  return std::nullopt;
}

// Whether `left` more devices can be chosen so that every set has one. Gives up, and says yes, when out of tries.
bool can_choose(std::span<const DeviceSet> sets, DeviceSet chosen, int left, int& tries) {
  const auto open = std::ranges::find_if(sets, [&](DeviceSet set) { return (set & chosen) == 0; });
  if (open == sets.end() || --tries <= 0) return true;
  if (left == 0) return false;
  for (DeviceSet rest = *open; rest != 0; rest &= rest - 1) {
    const DeviceSet lowest = DeviceSet{1} << std::countr_zero(rest);
    if (can_choose(sets, chosen | lowest, left - 1, tries)) return true;
  }
  return false;
}

// Where each unit that computes may be, without repeats, the narrowest first.
std::vector<DeviceSet> places_of_work(const Graph& graph, const UnitTable& units) {
  std::vector<DeviceSet> sets;
  for (const OpId op : graph.ops()) {
    if (graph.role(op) == Role::kCompute) sets.push_back(units.allowed[units.of[index(op)]]);
  }
  std::ranges::sort(
      sets, [](DeviceSet a, DeviceSet b) { return std::pair(std::popcount(a), a) < std::pair(std::popcount(b), b); });
  sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
  return sets;
}

std::optional<std::string> find_too_few_devices(const Graph& graph, const UnitTable& units, int limit) {
  int tries = kMostTries;
  if (can_choose(places_of_work(graph, units), 0, limit, tries)) return std::nullopt;
  if (limit == 1) return "no device alone may run all ops";
  return fmt::format("no {} devices together may run all ops", limit);
}

// Transfers that no plan can do without: devices that must have a tensor and cannot be where it is made.
std::int64_t fewest_crossings(const Graph& graph, const UnitTable& units) {
  std::int64_t crossings = 0;
  for (const TensorId tensor : graph.tensors()) {
    const std::uint32_t maker = units.of[index(graph.producer(tensor))];
    const DeviceSet from = units.allowed[maker];
    DeviceSet must_have = 0;
    bool apart = false;
    for (const OpId consumer : graph.consumers(tensor)) {
      const std::uint32_t unit = units.of[index(consumer)];
      if (unit == maker) continue;
      const DeviceSet to = units.allowed[unit];
      if (std::has_single_bit(to)) must_have |= to;
      apart = apart || (from & to) == 0;
    }
    const int elsewhere = std::popcount(must_have) - ((must_have & from) != 0 ? 1 : 0);
    crossings += std::max(elsewhere, apart ? 1 : 0);
  }
  return crossings;
}

// A memory and the devices that draw on it.
struct Memory {
  std::string name;
  DeviceSet devices = 0;
  Bytes capacity = 0, held = 0;
};

std::vector<Memory> memories_of(const Machine& machine, const Capacities& capacities) {
  std::vector<Memory> memories;
  for (std::size_t pool = 0; pool < machine.pools().size(); ++pool) {
    memories.push_back({fmt::format("pool {}", machine.pools()[pool].name), 0, capacities.pool[pool], 0});
  }
  for (const DeviceId id : machine.device_ids()) {
    const int pool = machine.pool_of(id);
    if (pool >= 0) {
      memories[static_cast<std::size_t>(pool)].devices |= device_bit(id);
    } else {
      memories.push_back({machine.device(id).name, device_bit(id), capacities.device[index(id)], 0});
    }
  }
  return memories;
}

}  // namespace

std::optional<std::string> find_conflict(const Problem& problem, const Constraints& constraints, bool graph_groups) {
  const Graph& graph = problem.graph();
  if (auto overdrawn = find_overdrawn(problem.machine(), constraints)) return overdrawn;
  const UnitTable units = make_unit_table(graph, problem.machine(), constraints, problem.runnable(), graph_groups);
  const auto none = std::ranges::find(units.allowed, DeviceSet{0});
  if (none != units.allowed.end()) {
    const auto ops = units.ops_of(static_cast<std::uint32_t>(none - units.allowed.begin()));
    return fmt::format("no device is left for {}{}", name_of_unit(graph, ops), own_limits(problem, ops));
  }
  if (constraints.max_devices) {
    if (auto too_few = find_too_few_devices(graph, units, *constraints.max_devices)) return too_few;
  }
  if (!constraints.max_crossings) return std::nullopt;
  const std::int64_t crossings = fewest_crossings(graph, units);
  if (crossings <= *constraints.max_crossings) return std::nullopt;
  return fmt::format("at least {} tensor{} must cross between devices", crossings, crossings == 1 ? "" : "s");
}

std::optional<std::string> find_overflow(const Problem& problem, const Constraints& constraints) {
  const Graph& graph = problem.graph();
  const Capacities capacities = capacities_of(problem.machine(), constraints.reserve);
  const UnitTable units = make_unit_table(graph, problem.machine(), constraints, problem.runnable());
  std::vector<Memory> memories = memories_of(problem.machine(), capacities);
  for (std::uint32_t unit = 0; unit < units.size(); ++unit) {
    Bytes held = 0, room = 0;
    for (const OpId op : units.ops_of(unit)) held += problem.resident_bytes(op);
    for (Memory& memory : memories) {
      if ((units.allowed[unit] & memory.devices) != 0) room = std::max(room, memory.capacity);
      if ((units.allowed[unit] & ~memory.devices) == 0) memory.held += held;
    }
    if (held <= room) continue;
    return fmt::format("no device is large enough for {}: {} stay there, at most {} are free",
                       name_of_unit(graph, units.ops_of(unit)), format_bytes(held), format_bytes(room));
  }
  for (const Memory& memory : memories) {
    if (memory.held <= memory.capacity) continue;
    return fmt::format("what must be on {} holds {}; there is room for {}", memory.name, format_bytes(memory.held),
                       format_bytes(memory.capacity));
  }
  return std::nullopt;
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include "problem/demands/clash.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "base/text.h"
#include "problem/conflict.h"
#include "problem/unit_table.h"
#include "problem/weights.h"

namespace berth {
namespace {

using Kind = Demand::Kind;
using Refs = std::vector<const ResolvedDemand*>;
using Check = std::function<std::optional<std::string>(const Refs&)>;  // why these cannot all be met, if so

Refs joined(const Refs& a, const Refs& b) {
  Refs both = a;
  both.insert(both.end(), b.begin(), b.end());
  return both;
}

// Those of the candidates that a smallest set needs besides `given`. Together with it they must not all be met; that
// `given` alone can be met is known unless it has `grown`.
Refs needed_of(const Check& check, const Refs& given, bool grown, const Refs& candidates) {
  if (grown && check(given)) return {};
  if (candidates.size() == 1) return {candidates.front()};
  const auto middle = candidates.begin() + static_cast<std::ptrdiff_t>(candidates.size() / 2);
  const Refs first(candidates.begin(), middle), second(middle, candidates.end());
  const Refs of_second = needed_of(check, joined(given, first), true, second);
  const Refs of_first = needed_of(check, joined(given, of_second), !of_second.empty(), first);
  return joined(of_first, of_second);
}

std::string list_of(const Refs& demands) {
  constexpr std::size_t kMost = 5;
  std::string text;
  for (std::size_t i = 0; i < demands.size() && i < kMost; ++i) {
    const bool last = i + 1 == demands.size();
    text += fmt::format("{}'{}'", i == 0 ? "" : last ? " and " : ", ", demands[i]->source);
  }
  if (demands.size() > kMost) text += fmt::format(" and {} more", demands.size() - kMost);
  return text;
}

// The smallest set that cannot be met, in words, and the set itself; nothing if all can be met, or if what cannot has
// nothing to do with the demands.
std::optional<std::string> explain(const Check& check, const Refs& all, Refs& clash) {
  if (all.empty() || !check(all) || check({})) return std::nullopt;
  clash = needed_of(check, {}, false, all);
  const auto why = check(clash);
  if (!why) return std::nullopt;
  return fmt::format("{} {}: {}", list_of(clash), clash.size() == 1 ? "cannot be met" : "clash", *why);
}

Refs refs_to(std::span<const ResolvedDemand> demands) {
  Refs all;
  for (const ResolvedDemand& demand : demands) all.push_back(&demand);
  return all;
}

// Inputs go to the first CPU by default, which gives way to demands. So that more demands never allow more, as the
// search for a smallest set needs, they are checked with inputs that go anywhere, or with those fixed that the default
// moves under all demands.
Constraints with_free_inputs(const Problem& problem) {
  Constraints own = problem.constraints();
  own.inputs_on_first_cpu = false;
  return own;
}

Constraints with_fixed_inputs(const Problem& problem, const Refs& all) {
  const Graph& graph = problem.graph();
  const UnitTable units = make_unit_table(graph, problem.machine(), constraints_of(problem, problem.constraints(), all),
                                          problem.runnable());
  Constraints own = with_free_inputs(problem);
  const auto cpu = problem.machine().first_of(DeviceKind::kCpu);
  if (!cpu) return own;
  for (const OpId op : graph.ops()) {
    const bool moved = graph.role(op) == Role::kInput && units.allowed[units.of[index(op)]] == device_bit(*cpu);
    if (moved) own.pins.push_back({op, *cpu});
  }
  return own;
}

std::optional<std::string> clash_under(const Problem& problem, const Constraints& own, const Refs& all) {
  const Check check = [&](const Refs& some) { return find_conflict(problem, constraints_of(problem, own, some)); };
  Refs clash;
  auto text = explain(check, all, clash);
  if (!text) return text;
  const bool by_weights = std::ranges::find(clash, Kind::kResidentWeights, &ResolvedDemand::kind) != clash.end();
  if (by_weights) *text += "; a resident weight keeps all ops that read it on one device";
  if (!find_conflict(problem, constraints_of(problem, own, clash), false)) {
    *text += "; the graph itself colocates some of them";
  }
  return text;
}

// The first weight that is sent, and how many there are.
std::optional<std::string> broken_by_weights(const Problem& problem, const Plan& plan) {
  const CrossingWeights crossing = weights_that_cross(problem.graph(), plan);
  if (crossing.count() == 0) return std::nullopt;
  const OpId first = crossing.weights.front();
  return fmt::format("{} ({} over links) {} sent in every step, '{}' on {} first", counted(crossing.count(), "weight"),
                     format_bytes(crossing.bytes), crossing.count() == 1 ? "is" : "are", problem.graph().name(first),
                     problem.machine().device(plan.device(first)).name);
}

std::optional<std::string> broken_by(const Problem& problem, const Plan& plan, const ResolvedDemand& demand) {
  if (demand.kind == Kind::kResidentWeights) return broken_by_weights(problem, plan);
  const Graph& graph = problem.graph();
  const auto place = [&](OpId op) {
    return fmt::format("op '{}' is on {}", graph.name(op), problem.machine().device(plan.device(op)).name);
  };
  for (const OpId op : demand.ops) {
    if ((demand.devices & device_bit(plan.device(op))) == 0) return place(op);
  }
  for (const std::vector<OpId>& set : demand.together) {
    for (const OpId op : set) {
      if (plan.device(op) != plan.device(set.front())) return fmt::format("{}, {}", place(set.front()), place(op));
    }
  }
  return std::nullopt;  // limits and memory are for verify() and the simulator
}

}  // namespace

std::optional<std::string> find_clash(const Problem& problem, std::span<const ResolvedDemand> demands) {
  const Refs all = refs_to(demands);
  if (auto clash = clash_under(problem, with_free_inputs(problem), all)) return clash;
  const bool has_limit = std::ranges::any_of(demands, [](const ResolvedDemand& demand) {
    return demand.kind == Kind::kDeviceLimit || demand.kind == Kind::kCrossingLimit;
  });
  if (!has_limit || !problem.constraints().inputs_on_first_cpu) return std::nullopt;  // the default breaks limits only
  const auto clash = clash_under(problem, with_fixed_inputs(problem, all), all);
  if (!clash) return std::nullopt;
  return *clash + "; inputs are on the first CPU unless they are pinned";
}

std::optional<std::string> find_memory_clash(const Problem& problem, std::span<const ResolvedDemand> demands) {
  const Constraints own = with_free_inputs(problem);
  const Check check = [&](const Refs& some) { return find_overflow(problem, constraints_of(problem, own, some)); };
  Refs clash;
  return explain(check, refs_to(demands), clash);
}

std::optional<std::string> find_broken(const Problem& problem, const Plan& plan,
                                       std::span<const ResolvedDemand> demands) {
  for (const ResolvedDemand& demand : demands) {
    if (const auto why = broken_by(problem, plan, demand)) {
      return fmt::format("'{}' does not hold: {}", demand.source, *why);
    }
  }
  return std::nullopt;
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include "report/crossings.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "report/moves.h"

namespace berth::report {
namespace {

using Key = std::pair<TensorId, DeviceId>;  // a tensor goes to a device once

std::vector<OpId> users_on(const Graph& graph, const Plan& plan, TensorId tensor, DeviceId device) {
  std::vector<OpId> users;
  for (const OpId user : graph.consumers(tensor)) {
    if (plan.device(user) == device) users.push_back(user);
  }
  return users;
}

}  // namespace

std::vector<Crossing> costliest_crossings(const Problem& problem, const Plan& plan, const Timeline& timeline,
                                          std::span<const CriticalStep> path, std::size_t most) {
  const Graph& graph = problem.graph();
  std::map<Key, Crossing> crossings;
  std::map<Key, Picoseconds> at;  // when the tensor is where it is so far
  for (const TransferEvent& event : timeline.transfers) {
    const Key key{event.tensor, event.to};
    Crossing& crossing = crossings[key];
    if (crossing.from == kNoDevice) {
      crossing = {event.tensor, event.from, event.to, event.bytes};
      at[key] = timeline.op_end[index(graph.producer(event.tensor))];
    }
    crossing.sending += event.end - event.start;
    crossing.waiting += std::max<Picoseconds>(0, event.start - at[key]);
    at[key] = event.end;
  }
  for (const CriticalStep& step : path) {
    if (step.is_transfer) crossings[{step.tensor, step.device}].critical += step.end - step.start;
  }
  std::vector<Crossing> sorted;
  for (const auto& [key, crossing] : crossings) sorted.push_back(crossing);
  std::ranges::stable_sort(sorted, [](const Crossing& a, const Crossing& b) {
    return std::tie(a.critical, a.sending) > std::tie(b.critical, b.sending);
  });
  sorted.resize(std::min(sorted.size(), most));
  for (Crossing& crossing : sorted) crossing.users = users_on(graph, plan, crossing.tensor, crossing.to).size();
  return sorted;
}

std::optional<Without> without(const Problem& problem, const Plan& plan, const Crossing& crossing, Mover& mover) {
  const std::array<OpId, 1> producer{problem.graph().producer(crossing.tensor)};
  const std::vector<OpId> users = users_on(problem.graph(), plan, crossing.tensor, crossing.to);
  std::optional<Without> best;
  std::optional<Score> best_score;
  const auto consider = [&](std::span<const OpId> ops, DeviceId to) {
    if (ops.empty()) return;
    const Result<Moved> moved = mover.move(ops, to);
    if (!moved || (best_score && !better(moved->score, *best_score))) return;
    best_score = moved->score;
    best = Without{ops.front(), to, mover.with_companions(ops).size(), moved->score.step_time, moved->score.feasible};
  };
  consider(producer, crossing.to);
  consider(users, crossing.from);
  return best;
}

}  // namespace berth::report

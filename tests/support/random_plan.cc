// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "machine/device_set.h"
#include "support/random_problem.h"

namespace berth {
namespace {

DeviceId random_device(Rng& rng, DeviceSet set) {
  std::uint64_t skip = rng.below(static_cast<std::uint64_t>(std::popcount(set)));
  for (; skip > 0; --skip) set &= set - 1;
  return lowest_device(set);
}

void place(const Problem& problem, Rng& rng, Plan& plan) {
  const bool contiguous = rng.chance(0.3);  // few transfers: mostly the device of the unit before
  plan.device_of.resize(problem.graph().num_ops());
  DeviceId last{0};
  for (std::uint32_t unit = 0; unit < problem.num_units(); ++unit) {
    const DeviceSet allowed = problem.unit_allowed(unit) & ((DeviceSet{1} << problem.machine().num_devices()) - 1);
    const bool stay = contiguous && rng.chance(0.9) && (allowed & device_bit(last)) != 0;
    if (!stay) last = random_device(rng, allowed);
    for (const OpId op : problem.unit_ops(unit)) plan.device_of[index(op)] = last;
  }
}

void prioritise(const Problem& problem, Rng& rng, Plan& plan) {
  const std::uint64_t style = rng.below(3);
  if (style == 0) return;
  for (std::size_t op = 0; op < problem.graph().num_ops(); ++op) {
    plan.priority.push_back(style == 1 ? static_cast<double>(rng.between(-1, 1)) : rng.normal());
  }
}

// Ops that can share a group with an op: what it reads, who reads it, and its control neighbours.
std::vector<OpId> neighbours(const Graph& graph, OpId op) {
  std::vector<OpId> result(graph.control_inputs(op).begin(), graph.control_inputs(op).end());
  result.insert(result.end(), graph.control_outputs(op).begin(), graph.control_outputs(op).end());
  for (const TensorId tensor : graph.distinct_inputs(op)) result.push_back(graph.producer(tensor));
  for (const TensorId tensor : graph.outputs(op)) {
    result.insert(result.end(), graph.consumers(tensor).begin(), graph.consumers(tensor).end());
  }
  return result;
}

// Grows a group from one op, along edges or (rarely) by any op, and gives up at the first step that is not legal.
void grow_group(const Problem& problem, Rng& rng, Plan& plan) {
  const Graph& graph = problem.graph();
  std::vector<OpId> group{OpId(rng.below(graph.num_ops()))};
  for (std::int64_t steps = rng.between(1, 6); steps > 0; --steps) {
    const std::vector<OpId> near = neighbours(graph, group[rng.below(group.size())]);
    group.push_back(near.empty() || rng.chance(0.1) ? OpId(rng.below(graph.num_ops())) : near[rng.below(near.size())]);
    Plan wider = plan;
    wider.fusions.push_back(group);
    if (verify(problem, wider)) group.pop_back();
  }
  if (group.size() >= 2) plan.fusions.push_back(group);
}

}  // namespace

Plan random_plan(const Problem& problem, Rng& rng) {
  Plan plan;
  place(problem, rng, plan);
  prioritise(problem, rng, plan);
  if (problem.graph().num_ops() > 0 && rng.chance(0.5)) {
    for (std::int64_t groups = rng.between(1, 6); groups > 0; --groups) grow_group(problem, rng, plan);
  }
  return plan;
}

}  // namespace berth

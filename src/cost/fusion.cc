// SPDX-License-Identifier: Apache-2.0
#include "cost/fusion.h"

#include <algorithm>
#include <numeric>

namespace berth {
namespace {

std::optional<Error> check_members(const Graph& graph, const Plan& plan) {
  std::vector<std::uint8_t> taken(graph.num_ops(), 0);
  for (const auto& group : plan.fusions) {
    if (group.size() < 2) return bad_input("a fusion group has {} ops; it needs at least two", group.size());
    for (const OpId op : group) {
      if (index(op) >= graph.num_ops())
        return bad_input("a fusion group names op {} of {}", index(op), graph.num_ops());
      if (taken[index(op)]++ != 0) return bad_input("op '{}' is fused twice", graph.name(op));
      if (graph.role(op) != Role::kCompute && graph.role(op) != Role::kView) {
        return bad_input("op '{}' has the role {} and cannot be fused", graph.name(op), name_of(graph.role(op)));
      }
      if (plan.device(op) != plan.device(group.front())) {
        return bad_input("ops '{}' and '{}' are fused but on two devices", graph.name(group.front()), graph.name(op));
      }
    }
  }
  return std::nullopt;
}

// Whether the graph with every group drawn together into its leader can be ordered; names a stuck group if not.
std::optional<Error> check_acyclic(const Graph& graph, const Plan& plan) {
  const std::vector<OpId> leader = fusion_leaders(graph, plan);
  const auto leads = [&](OpId op) { return leader[index(op)]; };
  std::vector<std::uint32_t> blocked_by(graph.num_ops(), 0);
  std::vector<std::vector<OpId>> members(graph.num_ops());
  for (const OpId op : graph.ops()) {
    members[index(leads(op))].push_back(op);
    for (const TensorId tensor : graph.distinct_inputs(op)) {
      if (leads(graph.producer(tensor)) != leads(op)) ++blocked_by[index(leads(op))];
    }
    for (const OpId before : graph.control_inputs(op)) {
      if (leads(before) != leads(op)) ++blocked_by[index(leads(op))];
    }
  }
  std::vector<OpId> free;
  for (const OpId op : graph.ops()) {
    if (leads(op) == op && blocked_by[index(op)] == 0) free.push_back(op);
  }
  const auto release = [&](OpId from, OpId to) {
    if (leads(from) != leads(to) && --blocked_by[index(leads(to))] == 0) free.push_back(leads(to));
  };
  for (std::size_t next = 0; next < free.size(); ++next) {
    for (const OpId op : members[index(free[next])]) {
      for (const TensorId tensor : graph.outputs(op)) {
        for (const OpId consumer : graph.consumers(tensor)) release(op, consumer);
      }
      for (const OpId after : graph.control_outputs(op)) release(op, after);
    }
  }
  for (const auto& group : plan.fusions) {
    const OpId first = leads(group.front());
    if (blocked_by[index(first)] > 0) {
      return bad_input("the fusion group of '{}' would wait for itself: an op outside it lies between its members",
                       graph.name(first));
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<OpId> fusion_leaders(const Graph& graph, const Plan& plan) {
  std::vector<OpId> leader(graph.num_ops());
  for (const OpId op : graph.ops()) leader[index(op)] = op;
  for (const auto& group : plan.fusions) {
    const OpId lowest = *std::min_element(group.begin(), group.end());
    for (const OpId op : group) leader[index(op)] = lowest;
  }
  return leader;
}

std::optional<Error> check_fusions(const Graph& graph, const Plan& plan) {
  if (plan.fusions.empty()) return std::nullopt;
  if (auto error = check_members(graph, plan)) return error;
  return check_acyclic(graph, plan);
}

}  // namespace berth

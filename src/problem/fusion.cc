// SPDX-License-Identifier: Apache-2.0
#include "problem/fusion.h"

#include <algorithm>
#include <vector>

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

// The graph with every group drawn together into its leader.
class Contracted {
 public:
  Contracted(const Graph& graph, const Plan& plan)
      : graph_(graph),
        leader_(fusion_leaders(graph, plan)),
        blocked_by_(graph.num_ops(), 0),
        members_(graph.num_ops()) {
    for (const OpId op : graph.ops()) {
      members_[index(leads(op))].push_back(op);
      for_each_before(op, [&](OpId) { ++blocked_by_[index(leads(op))]; });
    }
  }

  // Takes out every node that waits for nothing, again and again. What is left waits for itself.
  void order() {
    std::vector<OpId> free;
    for (const OpId op : graph_.ops()) {
      if (leads(op) == op && !is_stuck(op)) free.push_back(op);
    }
    const auto release = [&](OpId from, OpId to) {
      if (leads(from) != leads(to) && --blocked_by_[index(leads(to))] == 0) free.push_back(leads(to));
    };
    for (std::size_t next = 0; next < free.size(); ++next) {
      for (const OpId op : members_[index(free[next])]) {
        for (const TensorId tensor : graph_.outputs(op)) {
          for (const OpId consumer : graph_.consumers(tensor)) release(op, consumer);
        }
        for (const OpId after : graph_.control_outputs(op)) release(op, after);
      }
    }
  }

  [[nodiscard]] bool is_stuck(OpId op) const { return blocked_by_[index(leads(op))] > 0; }

  // Walks back from a stuck op until a node repeats: the nodes since then, each waiting for the one behind it.
  [[nodiscard]] std::vector<OpId> cycle(OpId stuck) const {
    std::vector<OpId> walk;
    std::vector<std::uint8_t> visited(graph_.num_ops(), 0);
    OpId at = leads(stuck);
    while (visited[index(at)]++ == 0) {
      walk.push_back(at);
      at = stuck_before(at);
    }
    walk.erase(walk.begin(), std::find(walk.begin(), walk.end(), at));
    return walk;
  }

  [[nodiscard]] bool is_group(OpId node) const { return members_[index(node)].size() > 1; }

 private:
  [[nodiscard]] OpId leads(OpId op) const { return leader_[index(op)]; }

  // Calls visit for every op of another node that the op waits for.
  template <typename Visit>
  void for_each_before(OpId op, const Visit& visit) const {
    for (const TensorId tensor : graph_.distinct_inputs(op)) {
      if (leads(graph_.producer(tensor)) != leads(op)) visit(graph_.producer(tensor));
    }
    for (const OpId before : graph_.control_inputs(op)) {
      if (leads(before) != leads(op)) visit(before);
    }
  }

  [[nodiscard]] OpId stuck_before(OpId node) const {
    OpId found = kNoOp;
    for (const OpId op : members_[index(node)]) {
      for_each_before(op, [&](OpId before) {
        if (is_stuck(before)) found = leads(before);
      });
    }
    return found;
  }

  const Graph& graph_;
  std::vector<OpId> leader_;
  std::vector<std::uint32_t> blocked_by_;   // edges from other nodes, indexed by leader
  std::vector<std::vector<OpId>> members_;  // indexed by leader
};

// Without groups the graph has no cycle, so every cycle goes through one: through one alone, it is not convex; through
// several, they wait for each other.
std::optional<Error> check_acyclic(const Graph& graph, const Plan& plan) {
  Contracted contracted(graph, plan);
  contracted.order();
  for (const auto& group : plan.fusions) {
    if (!contracted.is_stuck(group.front())) continue;
    std::vector<OpId> cycle = contracted.cycle(group.front());
    const auto others =
        std::stable_partition(cycle.begin(), cycle.end(), [&](OpId node) { return contracted.is_group(node); });
    if (others - cycle.begin() == 1) {
      return bad_input("the fusion group of '{}' would wait for itself: op '{}' outside it lies between its members",
                       graph.name(cycle.front()), graph.name(*others));
    }
    return bad_input("the fusion groups of '{}' and '{}' would wait for each other", graph.name(cycle[0]),
                     graph.name(cycle[1]));
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

Picoseconds fused_duration(const Problem& problem, DeviceId device, std::span<const OpId> group) {
  const Graph& graph = problem.graph();
  std::vector<OpId> sorted(group.begin(), group.end());
  std::ranges::sort(sorted);
  const auto is_outside = [&](OpId op) { return !std::ranges::binary_search(sorted, op); };
  std::vector<TensorId> read;
  Picoseconds compute = 0;
  Bytes moved = 0;
  for (const OpId op : group) {
    compute += problem.compute_part(op, device);
    for (const TensorId tensor : graph.distinct_inputs(op)) {
      if (is_outside(graph.producer(tensor))) read.push_back(tensor);
    }
    for (const TensorId tensor : graph.outputs(op)) {
      const bool leaves = graph.is_graph_output(tensor) || std::ranges::any_of(graph.consumers(tensor), is_outside);
      if (leaves) moved += graph.bytes(tensor);
    }
  }
  std::ranges::sort(read);
  read.erase(std::unique(read.begin(), read.end()), read.end());
  for (const TensorId tensor : read) moved += graph.bytes(tensor);
  return fused_duration(problem, device, compute, moved);
}

}  // namespace berth

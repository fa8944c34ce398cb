// SPDX-License-Identifier: Apache-2.0
#include "problem/plan.h"

#include <bit>
#include <cmath>

#include "machine/device_set.h"
#include "problem/fusion.h"
#include "problem/problem.h"

namespace berth {
namespace {

std::optional<Error> check_devices(const Problem& problem, const Plan& plan) {
  const Graph& graph = problem.graph();
  const Machine& machine = problem.machine();
  if (plan.device_of.size() != graph.num_ops()) {
    return bad_input("the plan places {} ops, the graph has {}", plan.device_of.size(), graph.num_ops());
  }
  for (const OpId op : graph.ops()) {
    const DeviceId device = plan.device(op);
    if (index(device) >= machine.num_devices()) return bad_input("op '{}' is on no device", graph.name(op));
    if ((problem.allowed(op) & device_bit(device)) == 0) {
      return bad_input("op '{}' may not be on {}: its kind, a pin or what it is colocated with forbids it",
                       graph.name(op), machine.device(device).name);
    }
    const OpId first = problem.unit_ops(problem.unit(op)).front();
    if (plan.device(first) != device) {
      return bad_input("ops '{}' and '{}' must share a device but are on {} and {}", graph.name(first), graph.name(op),
                       machine.device(plan.device(first)).name, machine.device(device).name);
    }
  }
  return std::nullopt;
}

std::optional<Error> check_priorities(const Graph& graph, const Plan& plan) {
  if (!plan.priority.empty() && plan.priority.size() != graph.num_ops()) {
    return bad_input("the plan has {} priorities for {} ops", plan.priority.size(), graph.num_ops());
  }
  for (std::size_t i = 0; i < plan.priority.size(); ++i) {
    if (!std::isfinite(plan.priority[i]))
      return bad_input("op '{}' has a priority that is not finite", graph.name(OpId(i)));
  }
  return std::nullopt;
}

std::optional<Error> check_limits(const Problem& problem, const Plan& plan) {
  const Graph& graph = problem.graph();
  if (const auto limit = problem.constraints().max_devices) {
    DeviceSet used = 0;
    for (const OpId op : graph.ops()) {
      if (graph.role(op) == Role::kCompute) used |= device_bit(plan.device(op));
    }
    if (std::popcount(used) > *limit)
      return bad_input("the plan computes on {} devices; at most {} are allowed", std::popcount(used), *limit);
  }
  if (const auto limit = problem.constraints().max_crossings) {
    const std::int64_t crossings = count_crossings(graph, plan);
    if (crossings > *limit)
      return bad_input("the plan sends {} tensors between devices; at most {} are allowed", crossings, *limit);
  }
  return std::nullopt;
}

}  // namespace

std::int64_t count_crossings(const Graph& graph, const Plan& plan) {
  std::int64_t crossings = 0;
  for (const TensorId tensor : graph.tensors()) {
    DeviceSet destinations = 0;
    for (const OpId consumer : graph.consumers(tensor)) destinations |= device_bit(plan.device(consumer));
    crossings += std::popcount(destinations & ~device_bit(plan.device(graph.producer(tensor))));
  }
  return crossings;
}

std::optional<Error> verify(const Problem& problem, const Plan& plan) {
  if (auto error = check_devices(problem, plan)) return error;
  if (auto error = check_priorities(problem.graph(), plan)) return error;
  if (auto error = check_limits(problem, plan)) return error;
  return check_fusions(problem.graph(), plan);
}

Bytes bytes_crossed(const Graph& graph, const Plan& plan) {
  Bytes sum = 0;
  for (const TensorId tensor : graph.tensors()) {
    DeviceSet others = 0;
    for (const OpId consumer : graph.consumers(tensor)) others |= device_bit(plan.device(consumer));
    others &= ~device_bit(plan.device(graph.producer(tensor)));
    sum += graph.bytes(tensor) * std::popcount(others);
  }
  return sum;
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "support/reference_parts.h"

namespace berth::reference {
namespace {

// Rule 6: "distinct outside input bytes + leaving output bytes over bandwidth", then the launch as for any op.
Picoseconds fused_duration(const Problem& problem, const Task& task) {
  Picoseconds compute = 0;
  for (const OpId op : task.members) compute += problem.compute_part(op, task.device);
  Bytes bytes = 0;
  for (const TensorId tensor : task.inputs) bytes += problem.graph().bytes(tensor);
  for (const TensorId tensor : task.outputs) bytes += problem.graph().bytes(tensor);
  const Picoseconds streaming = to_picoseconds(static_cast<double>(bytes) / problem.streaming_bytes_per_s(task.device));
  const Picoseconds work = std::max(compute, streaming);
  const Picoseconds launch = problem.launch(task.device);
  return problem.machine().device(task.device).async ? std::max(launch, work) : launch + work;
}

// Rule 6: "only outputs used outside, or graph outputs".
bool leaves(const Graph& graph, const std::set<OpId>& members, TensorId tensor) {
  if (graph.is_graph_output(tensor)) return true;
  const auto consumers = graph.consumers(tensor);
  return std::any_of(consumers.begin(), consumers.end(), [&](OpId op) { return !members.contains(op); });
}

Task make_task(const Problem& problem, const Plan& plan, const std::set<OpId>& members, bool fused) {
  const Graph& graph = problem.graph();
  Task task;
  task.members.assign(members.begin(), members.end());
  task.fused = fused;
  task.id = *members.begin();  // rule 6: id = its lowest member's
  task.device = plan.device(task.id);
  task.priority = plan.priority_of(task.id);
  for (const OpId op : members) {
    task.priority = std::max(task.priority, plan.priority_of(op));  // rule 6: its highest member's
    for (const TensorId tensor : graph.inputs(op)) {
      if (!members.contains(graph.producer(tensor))) task.inputs.insert(tensor);
    }
    for (const TensorId tensor : graph.outputs(op)) {
      if (!fused || leaves(graph, members, tensor)) task.outputs.insert(tensor);
    }
  }
  task.duration = fused ? fused_duration(problem, task) : problem.duration(task.id, task.device);
  return task;
}

}  // namespace

Tasks make_tasks(const Problem& problem, const Plan& plan) {
  const Graph& graph = problem.graph();
  Tasks tasks;
  tasks.of_op.resize(graph.num_ops());
  std::set<OpId> in_a_group;
  const auto add = [&](const std::set<OpId>& members, bool fused) {
    for (const OpId op : members) tasks.of_op[index(op)] = tasks.all.size();
    tasks.all.push_back(make_task(problem, plan, members, fused));
  };
  for (const auto& group : plan.fusions) {
    in_a_group.insert(group.begin(), group.end());
    add({group.begin(), group.end()}, true);
  }
  for (const OpId op : graph.ops()) {
    if (!in_a_group.contains(op)) add({op}, false);
  }
  for (const OpId op : graph.ops()) {
    const std::size_t after = tasks.of_op[index(op)];
    for (const OpId before : graph.control_inputs(op)) {
      if (tasks.of_op[index(before)] != after) tasks.all[after].control.insert(tasks.of_op[index(before)]);
    }
  }
  return tasks;
}

}  // namespace berth::reference

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/random_problem.h"

namespace berth {
namespace {

std::string describe_machine(const Problem& problem) {
  const Machine& machine = problem.machine();
  std::string text;
  for (const DeviceId id : machine.device_ids()) {
    const Device& device = machine.device(id);
    text += fmt::format("device {} {}: capacity {} pool '{}' lanes {} launch {} {} streams {} B/s\n", index(id),
                        device.name, problem.capacity(id), device.pool, device.lanes, problem.launch(id),
                        device.async ? "async" : "sync", problem.streaming_bytes_per_s(id));
  }
  for (std::size_t i = 0; i < machine.channels().size(); ++i) {
    const Channel& channel = machine.channels()[i];
    text += fmt::format("channel {} {}: {}>{} latency {} ps, {} B/ps, queue {}\n", i, channel.name, channel.from,
                        channel.to, channel.latency_s * 1e12, channel.bytes_per_s / 1e12, channel.queue);
  }
  for (const DeviceId from : machine.device_ids()) {
    for (const DeviceId to : machine.device_ids()) {
      if (from == to) continue;
      text += fmt::format("route {}>{}: {}\n", index(from), index(to), fmt::join(machine.route(from, to), " "));
    }
  }
  return text;
}

std::string describe_op(const Problem& problem, const Plan& plan, OpId op) {
  const Graph& graph = problem.graph();
  const auto producers = [&](auto tensors) {
    std::vector<std::string> words;
    for (const TensorId tensor : tensors) {
      words.push_back(fmt::format("op{}.{}", index(graph.producer(tensor)), graph.output_index(tensor)));
    }
    return words;
  };
  std::vector<std::string> control, outputs;
  for (const OpId before : graph.control_inputs(op)) control.push_back(fmt::format("op{}", index(before)));
  for (const TensorId tensor : graph.outputs(op)) {
    outputs.push_back(fmt::format("{}B{}", graph.bytes(tensor), graph.is_graph_output(tensor) ? "*" : ""));
  }
  return fmt::format("op{} {} @{} !{} takes {} (compute {}) reads [{}] after [{}] makes [{}] resident {}\n", index(op),
                     name_of(graph.role(op)), index(plan.device(op)), plan.priority_of(op),
                     problem.duration(op, plan.device(op)), problem.compute_part(op, plan.device(op)),
                     fmt::join(producers(graph.inputs(op)), " "), fmt::join(control, " "), fmt::join(outputs, " "),
                     graph.resident_bytes(op));
}

}  // namespace

std::string describe(const Problem& problem, const Plan& plan) {
  std::string text = describe_machine(problem);
  for (const OpId op : problem.graph().ops()) text += describe_op(problem, plan, op);
  for (const auto& group : plan.fusions) {
    std::vector<std::size_t> members;
    for (const OpId op : group) members.push_back(index(op));
    text += fmt::format("fused: {}\n", fmt::join(members, " "));
  }
  return text;
}

}  // namespace berth

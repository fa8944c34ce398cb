// SPDX-License-Identifier: Apache-2.0
#include "problem/slowest_plan.h"

#include <algorithm>
#include <limits>

namespace berth {
namespace {

// Everything computed one after the other on the slowest device, fused or not.
double slowest_compute_s(const Problem& problem) {
  const Graph& graph = problem.graph();
  const Machine& machine = problem.machine();
  double slowest_launch = 0.0, slowest_rate = std::numeric_limits<double>::infinity(), total = 0.0;
  for (const DeviceId id : machine.device_ids()) {
    slowest_launch = std::max(slowest_launch, machine.device(id).launch_s);
    slowest_rate = std::min(slowest_rate, problem.streaming_bytes_per_s(id));
  }
  for (const OpId op : graph.ops()) {
    Picoseconds slowest = 0;
    for (const DeviceId id : machine.device_ids()) {
      slowest = std::max({slowest, problem.duration(op, id), problem.compute_part(op, id)});
    }
    total += to_seconds(slowest) + slowest_launch;
  }
  for (const TensorId tensor : graph.tensors()) {
    const auto uses = static_cast<double>(graph.consumers(tensor).size() + 1);
    total += uses * static_cast<double>(graph.bytes(tensor)) / slowest_rate;
  }
  return total;
}

// Every tensor sent to every device that may want it, one after the other on the slowest link, over the longest
// route.
double slowest_transfers_s(const Problem& problem) {
  const Graph& graph = problem.graph();
  const Machine& machine = problem.machine();
  double seconds_per_byte = 0.0, latency = 0.0;
  for (const Channel& channel : machine.channels()) {
    seconds_per_byte = std::max(seconds_per_byte, 1.0 / channel.bytes_per_s);
    latency = std::max(latency, channel.latency_s);
  }
  std::size_t hops = 0;
  for (const DeviceId from : machine.device_ids()) {
    for (const DeviceId to : machine.device_ids()) hops = std::max(hops, machine.route(from, to).size());
  }
  double total = latency * static_cast<double>(graph.num_ops());  // control edges
  for (const TensorId tensor : graph.tensors()) {
    const auto copies = std::min(graph.consumers(tensor).size(), machine.num_devices() - 1);
    total += static_cast<double>(copies) * (latency + static_cast<double>(graph.bytes(tensor)) * seconds_per_byte);
  }
  return total * static_cast<double>(hops);
}

}  // namespace

double slowest_plan_s(const Problem& problem) {
  const double regions = static_cast<double>(problem.graph().num_ops());  // at most one per op
  return slowest_compute_s(problem) + slowest_transfers_s(problem) +
         regions * problem.machine().execution().region_cost_s;
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include "support/nearby_plan.h"

namespace berth {
namespace {

void move_unit_of(const Problem& problem, OpId op, DeviceId device, Plan& plan) {
  if ((problem.allowed(op) & device_bit(device)) == 0) return;
  for (const OpId member : problem.unit_ops(problem.unit(op))) plan.device_of[index(member)] = device;
}

bool is_there_from_the_start(const Graph& graph, OpId op) {
  return graph.inputs(op).empty() && graph.control_inputs(op).empty();
}

}  // namespace

Plan nearby_plan(const Problem& problem, const Plan& base, Rng& rng) {
  const Graph& graph = problem.graph();
  Plan plan = base;
  const bool takes_along = rng.chance(0.5);
  const auto first = rng.below(graph.num_ops());
  for (std::int64_t left = rng.between(1, 4); left > 0; --left) {
    const OpId op{static_cast<std::uint32_t>(rng.chance(0.6) ? (first + rng.below(5)) % graph.num_ops()
                                                             : rng.below(graph.num_ops()))};
    const DeviceId device{static_cast<std::uint16_t>(rng.below(problem.machine().num_devices()))};
    move_unit_of(problem, op, device, plan);
    if (!takes_along) continue;
    for (const TensorId tensor : graph.inputs(op)) {
      const OpId producer = graph.producer(tensor);
      if (!is_there_from_the_start(graph, producer)) continue;
      move_unit_of(problem, producer, device, plan);
      for (const OpId reader : graph.consumers(tensor)) move_unit_of(problem, reader, device, plan);
    }
  }
  return plan;
}

}  // namespace berth

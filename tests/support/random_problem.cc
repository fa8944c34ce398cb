// SPDX-License-Identifier: Apache-2.0
#include "support/random_problem.h"

#include <bit>
#include <stdexcept>

#include "support/random_parts.h"

namespace berth {
namespace {

using random_parts::Scale;
using random_parts::value_of;

Bytes total_bytes(const Graph& graph) {
  Bytes bytes = 0;
  for (const TensorId tensor : graph.tensors()) bytes += graph.bytes(tensor);
  return bytes;
}

ExplicitCosts random_costs(Rng& rng, const Graph& graph, const Machine& machine, const Scale& scale) {
  ExplicitCosts costs;
  const bool equal_devices = rng.chance(0.5);
  const double free_share = rng.uniform() * 0.3;
  constexpr double kNotAllowed = -1.0;  // never on the first CPU, so that whatever must be together has a place
  for (std::size_t op = 0; op < graph.num_ops(); ++op) {
    std::vector<double> times, computes;
    for (std::size_t device = 0; device < machine.num_devices(); ++device) {
      if (device > 0 && equal_devices) {
        times.push_back(times[0]);
        computes.push_back(computes[0]);
        continue;
      }
      if (device > 0 && rng.chance(0.02)) {
        times.push_back(kNotAllowed);
        computes.push_back(0.0);
        continue;
      }
      const std::int64_t time = rng.chance(free_share) ? 0 : rng.between(1, scale.longest);
      times.push_back(static_cast<double>(time) / kPicosecondsPerSecond);
      computes.push_back(static_cast<double>(rng.between(0, time)) / kPicosecondsPerSecond);
    }
    costs.time_s.push_back(times);
    costs.compute_s.push_back(computes);
  }
  return costs;
}

Constraints random_constraints(Rng& rng, const Graph& graph, const Machine& machine) {
  Constraints constraints;
  constraints.inputs_on_first_cpu = rng.chance(0.5);
  if (rng.chance(0.2)) constraints.reserve.assign(machine.num_devices(), rng.between(0, 10));
  if (rng.chance(0.2)) {
    constraints.together.push_back({OpId(rng.below(graph.num_ops())), OpId(rng.below(graph.num_ops()))});
  }
  return constraints;
}

}  // namespace

void random_parts::illegal(const Error& error) { throw std::logic_error("random problem: " + error.message); }

Problem random_problem(Rng& rng, std::size_t ops, Execution execution) {
  Scale scale;
  scale.longest = rng.chance(0.7) ? 3 : rng.chance(0.7) ? 20 : 1'000'000'000;
  const auto graph = random_parts::random_graph(rng, ops);
  const Bytes memory = 1 + static_cast<Bytes>(static_cast<double>(total_bytes(*graph)) * rng.uniform());
  const auto machine = random_parts::random_machine(rng, scale, memory, execution);
  const ExplicitCosts costs = random_costs(rng, *graph, *machine, scale);
  return value_of(make_problem(graph, machine, costs, random_constraints(rng, *graph, *machine)));
}

}  // namespace berth

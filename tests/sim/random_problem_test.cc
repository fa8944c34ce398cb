// SPDX-License-Identifier: Apache-2.0
// The comparison of simulators is worth what its problems are worth: they must reach every corner, and often.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "support/random_problem.h"
#include "support/reference_simulator.h"

namespace berth {
namespace {

using Corners = std::map<std::string, int>;  // name, cases that have it

void note_ops(const Problem& problem, const Plan& plan, std::set<std::string>& seen) {
  const Graph& graph = problem.graph();
  for (const OpId op : graph.ops()) {
    seen.insert(std::string(name_of(graph.role(op))));
    if (graph.role(op) == Role::kCompute && problem.duration(op, plan.device(op)) == 0) seen.insert("free compute op");
    if (graph.outputs(op).size() > 1) seen.insert("several outputs");
    if (graph.outputs(op).empty()) seen.insert("no output");
    if (graph.inputs(op).size() > graph.distinct_inputs(op).size()) seen.insert("repeated input");
    if (graph.is_trained(op)) seen.insert("trained");
    for (const OpId before : graph.control_inputs(op)) {
      const bool remote = plan.device(before) != plan.device(op);
      seen.insert(remote ? "remote control edge" : "local control edge");
      if (remote && problem.control_latency(plan.device(before), plan.device(op)) > 0) seen.insert("late signal");
    }
    if (graph.role(op) != Role::kView) continue;
    const OpId viewed = graph.producer(graph.inputs(op).front());
    if (graph.role(viewed) == Role::kView) {
      seen.insert(plan.device(viewed) != plan.device(op) ? "remote view of a view" : "local view of a view");
    }
  }
}

void note_tensors(const Problem& problem, const Plan& plan, std::set<std::string>& seen) {
  const Graph& graph = problem.graph();
  for (const TensorId tensor : graph.tensors()) {
    if (graph.consumers(tensor).empty()) seen.insert("unused output");
    if (graph.bytes(tensor) == 0) seen.insert("empty tensor");
    if (graph.is_graph_output(tensor))
      seen.insert("graph output: " + std::string(name_of(graph.role(graph.producer(tensor)))));
  }
  for (const auto& group : plan.fusions) {
    for (const OpId op : group) {
      for (const TensorId tensor : graph.outputs(op)) {
        if (graph.role(op) == Role::kView && graph.is_graph_output(tensor)) seen.insert("fused output view");
      }
    }
  }
}

void note_machine(const Machine& machine, std::set<std::string>& seen) {
  if (!machine.pools().empty()) seen.insert("pool");
  if (!machine.switches().empty()) seen.insert("switch");
  for (const Device& device : machine.devices()) seen.insert(device.async ? "async" : "sync");
  for (const Device& device : machine.devices()) {
    if (device.lanes > 1) seen.insert("lanes");
  }
  for (const Link& link : machine.links()) {
    if (link.duplex == Duplex::kHalf) seen.insert("half duplex");
    if (link.duplex == Duplex::kOneWay) seen.insert("one way");
    if (!link.bus.empty()) seen.insert("bus");
    if (!link.contended) seen.insert("uncontended");
  }
}

void note_timeline(const Problem& problem, const Plan& plan, std::set<std::string>& seen) {
  const Timeline timeline = reference_simulate(problem, plan);
  seen.insert(timeline.score.feasible ? "feasible" : "infeasible");
  if (!plan.fusions.empty()) seen.insert("fusion");
  std::map<std::pair<TensorId, DeviceId>, int> hops;
  for (const TransferEvent& event : timeline.transfers) {
    const int count = ++hops[{event.tensor, event.to}];
    if (count >= 2) seen.insert(count == 2 ? "two hops" : "three hops");
  }
  std::set<std::pair<DeviceId, Picoseconds>> ends;
  for (const OpEvent& event : timeline.ops) ends.emplace(event.device, event.end);
  for (const TransferEvent& event : timeline.transfers) {
    if (ends.contains({event.to, event.end})) seen.insert("arrival when an op ends");
  }
}

TEST(RandomProblem, ReachesEveryCornerOften) {
  constexpr int kCases = 400;
  Corners corners;
  for (std::uint64_t seed = 10'001; seed < 10'001 + kCases; ++seed) {
    Rng rng(seed);
    const Problem problem = random_problem(rng, 5 + rng.below(56));
    const Plan plan = random_plan(problem, rng);
    std::set<std::string> seen;
    note_ops(problem, plan, seen);
    note_tensors(problem, plan, seen);
    note_machine(problem.machine(), seen);
    note_timeline(problem, plan, seen);
    for (const std::string& name : seen) ++corners[name];
  }
  for (const char* name : {"compute",
                           "parameter",
                           "buffer",
                           "constant",
                           "input",
                           "view",
                           "free compute op",
                           "several outputs",
                           "no output",
                           "repeated input",
                           "trained",
                           "remote control edge",
                           "local control edge",
                           "late signal",
                           "remote view of a view",
                           "local view of a view",
                           "unused output",
                           "empty tensor",
                           "graph output: compute",
                           "graph output: view",
                           "graph output: parameter",
                           "graph output: input",
                           "pool",
                           "switch",
                           "async",
                           "sync",
                           "lanes",
                           "half duplex",
                           "one way",
                           "bus",
                           "uncontended",
                           "feasible",
                           "infeasible",
                           "fusion",
                           "two hops",
                           "arrival when an op ends"}) {
    EXPECT_GE(corners[name], kCases / 20) << name;
  }
  for (const char* name : {"fused output view", "three hops"}) EXPECT_GE(corners[name], 3) << name;
}

TEST(RandomProblem, IsTheSameForTheSameSeed) {
  const auto text = [](std::uint64_t seed) {
    Rng rng(seed);
    const Problem problem = random_problem(rng, 40);
    return describe(problem, random_plan(problem, rng));
  };
  EXPECT_EQ(text(5), text(5));
  EXPECT_NE(text(5), text(6));
}

}  // namespace
}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
// Cost and worth of the fusers on one GPU: time to form the groups, how many ops they hold, and the step time with
// them.
#include <benchmark/benchmark.h>

#include <map>

#include "base/rng.h"
#include "plan/fuse/fuser.h"
#include "sim/simulator.h"
#include "workloads.h"

namespace berth::bench {
namespace {

using Form = std::function<FusionGroups(const Fuser&, const Plan&)>;

const Problem& cached_problem(const std::string& graph) {
  static std::map<std::string, std::unique_ptr<Problem>> problems;
  auto& entry = problems[graph];
  if (!entry) entry = std::make_unique<Problem>(problem(graph, "k40x8"));
  return *entry;
}

std::vector<double> random_priorities(std::size_t ops) {
  Rng rng(1);
  std::vector<double> priorities(ops);
  for (double& priority : priorities) priority = rng.uniform();
  return priorities;
}

void form_groups(benchmark::State& state, const std::string& graph, const std::string& planner, const Form& form) {
  const Problem& task = cached_problem(graph);
  Plan chosen = plan(task, planner);
  const Fuser fuser(task);
  const Picoseconds unfused = simulate(task, chosen).step_time;
  for (auto _ : state) chosen.fusions = form(fuser, chosen);
  std::size_t fused = 0;
  for (const auto& group : chosen.fusions) fused += group.size();
  state.counters["ops"] = static_cast<double>(task.graph().num_ops());
  state.counters["fused_ops"] = static_cast<double>(fused);
  state.counters["groups"] = static_cast<double>(chosen.fusions.size());
  state.counters["unfused_ms"] = to_seconds(unfused) * 1e3;
  state.counters["step_ms"] = to_seconds(simulate(task, chosen).step_time) * 1e3;
}

void add_all(const std::string& graph, const std::string& planner) {
  const std::map<std::string, Form> forms{
      {"bytes", [](const Fuser& fuser, const Plan& plan) { return fuser.by_bytes(plan); }},
      {"time", [](const Fuser& fuser, const Plan& plan) { return fuser.by_time(plan); }},
      {"random", [](const Fuser& fuser,
                    const Plan& plan) { return fuser.by_priority(plan, random_priorities(plan.device_of.size())); }},
      {"random_any",
       [](const Fuser& fuser, const Plan& plan) {
         return fuser.by_priority(plan, random_priorities(plan.device_of.size()), Joining::kAnyLegal);
       }},
  };
  for (const auto& [name, form] : forms) {
    benchmark::RegisterBenchmark((graph + "/" + planner + "/" + name).c_str(), [=](benchmark::State& state) {
      form_groups(state, graph, planner, form);
    })->Unit(benchmark::kMillisecond);
  }
}

}  // namespace
}  // namespace berth::bench

int main(int argc, char** argv) {
  using berth::bench::add_all;
  for (const char* graph : {"zoo:nmt-8", "zoo:rnnlm", "zoo:bert-base", "zoo:inception-v3"}) {
    add_all(graph, "gpu-only");
    add_all(graph, "expert-layers");
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

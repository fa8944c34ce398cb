// SPDX-License-Identifier: Apache-2.0
// Evaluations per second of a local search around the expert's plan: full simulations, bounded ones, and bounded ones
// near a base. A move takes a connected group of ops to another accelerator. All three see the same moves in turn, so
// that the ratios are of the same moments of the machine.
#include <benchmark/benchmark.h>

#include <bit>
#include <chrono>

#include "sim/simulator.h"
#include "workloads.h"

namespace berth::bench {
namespace {

constexpr DeviceSet kAccelerators = ~DeviceSet{1};  // device 0 is the CPU

struct Workload {
  std::string graph, machine;
  bool priorities;       // longest way to the end, or none
  std::size_t most_ops;  // of a move
  double slack = 1.01;   // cutoff over the base's step time
  std::size_t moves = 300;
};

// Grows from one op over its neighbours, nearest first.
std::vector<OpId> connected_group(const Problem& problem, OpId first, std::size_t size) {
  const Graph& graph = problem.graph();
  std::vector<OpId> group;
  std::vector<bool> taken(graph.num_ops());
  const auto take = [&](OpId op) {
    if (group.size() >= size || taken[index(op)]) return;
    taken[index(op)] = true;
    group.push_back(op);
  };
  take(first);
  for (std::size_t i = 0; i < group.size() && group.size() < size; ++i) {
    for (const TensorId tensor : graph.distinct_inputs(group[i])) take(graph.producer(tensor));
    for (const TensorId tensor : graph.outputs(group[i])) {
      for (const OpId consumer : graph.consumers(tensor)) take(consumer);
    }
  }
  return group;
}

// Moves the group of an op that takes time to an accelerator where that op was not.
Plan moved(const Problem& problem, const Plan& base, Rng& rng, std::size_t most_ops) {
  OpId first;
  do first = OpId(rng.below(problem.graph().num_ops()));
  while (problem.duration(first, base.device(first)) == 0 || std::popcount(problem.allowed(first) & kAccelerators) < 2);
  DeviceId device;
  do device = DeviceId(1 + rng.below(problem.machine().num_devices() - 1));
  while (device == base.device(first) || (problem.allowed(first) & device_bit(device)) == 0);
  Plan plan = base;
  for (const OpId op : connected_group(problem, first, 1 + rng.below(most_ops))) {
    const std::uint32_t unit = problem.unit(op);
    if ((problem.unit_allowed(unit) & device_bit(device)) == 0) continue;
    for (const OpId member : problem.unit_ops(unit)) plan.device_of[index(member)] = device;
  }
  return plan;
}

template <typename Body>
double seconds(Body body) {
  const auto start = std::chrono::steady_clock::now();
  benchmark::DoNotOptimize(body());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void evaluate_moves(benchmark::State& state, const Workload& work) {
  const Problem task = problem(work.graph, work.machine);
  Plan base = plan(task, "expert-layers");
  if (work.priorities) base.priority = ways_to_the_end(task, base);
  Rng rng(1);
  std::vector<Plan> plans;
  for (std::size_t i = 0; i < work.moves; ++i) plans.push_back(moved(task, base, rng, work.most_ops));
  Simulator full(task), bounded(task), near(task);
  const auto cutoff = static_cast<Picoseconds>(static_cast<double>(full.run(base).step_time) * work.slack);
  double full_s = 0, bounded_s = 0, near_s = 0, rejected = 0, full_events = 0, near_events = 0;
  for (auto _ : state) {
    near_s += seconds([&] { return near.rebase(base), 0; });
    for (const Plan& candidate : plans) {
      full_s += seconds([&] { return full.run(candidate).step_time; });
      bounded_s += seconds([&] { return bounded.run_bounded(candidate, cutoff); });
      near_s += seconds([&] {
        const Score* score = near.run_bounded(candidate, cutoff);
        rejected += score == nullptr;
        return score;
      });
      full_events += static_cast<double>(full.last_events());
      near_events += static_cast<double>(near.last_events());
    }
  }
  state.SetLabel(work.graph + " " + work.machine);
  const double count = static_cast<double>(plans.size()) * static_cast<double>(state.iterations());
  state.counters["full/s"] = count / full_s;
  state.counters["bounded_x"] = full_s / bounded_s;
  state.counters["near_x"] = full_s / near_s;
  state.counters["events"] = near_events / full_events;
  state.counters["rejected"] = rejected / count;
}

void register_all() {
  const std::pair<const char*, const char*> rows[] = {
      {"nmt2", "k40x2"}, {"nmt4", "k40x4"}, {"inception_v3", "k40x2"}, {"rnnlm", "k40x2"}, {"bert_base", "k40x4"}};
  for (const auto& [graph, machine] : rows) {
    for (const std::size_t most_ops : {1, 10, 50}) {
      for (const bool priorities : {false, true}) {
        const Workload work{fmt::format("captured/{}.train.json.gz", graph), machine, priorities, most_ops};
        const std::string name = fmt::format("moves/{}/{}{}", graph, most_ops, priorities ? "/priorities" : "");
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) { evaluate_moves(state, work); })
            ->Iterations(1)
            ->Unit(benchmark::kMillisecond);
      }
    }
  }
}

}  // namespace
}  // namespace berth::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  berth::bench::register_all();
  benchmark::RunSpecifiedBenchmarks();
}

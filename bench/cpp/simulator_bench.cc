// SPDX-License-Identifier: Apache-2.0
// Cost of one simulation (memory tracking on) against a bare longest-path pass over the same graph. Both are timed in
// turn in every iteration and the least of each counts, so that the ratio is one of quiet moments of the same machine.
#include <benchmark/benchmark.h>

#include <chrono>
#include <map>

#include "sim/evaluator.h"
#include "sim/simulator.h"
#include "workloads.h"

namespace berth::bench {
namespace {

// The least any evaluation can cost: every op once, every edge once.
class LongestPath {
 public:
  LongestPath(const Problem& problem, const Plan& plan) : graph_(problem.graph()), end_(graph_.num_ops()) {
    for (const OpId op : graph_.ops()) duration_.push_back(problem.duration(op, plan.device(op)));
  }
  Picoseconds run() {
    Picoseconds last = 0;
    for (const OpId op : graph_.topological_order()) {
      Picoseconds start = 0;
      for (const TensorId tensor : graph_.distinct_inputs(op))
        start = std::max(start, end_[index(graph_.producer(tensor))]);
      for (const OpId before : graph_.control_inputs(op)) start = std::max(start, end_[index(before)]);
      end_[index(op)] = start + duration_[index(op)];
      last = std::max(last, end_[index(op)]);
    }
    return last;
  }

 private:
  const Graph& graph_;
  std::vector<Picoseconds> duration_, end_;
};

const Problem& cached_problem(const std::string& graph, const std::string& machine) {
  static std::map<std::string, std::unique_ptr<Problem>> problems;
  auto& entry = problems[graph + "@" + machine];
  if (!entry) entry = std::make_unique<Problem>(problem(graph, machine));
  return *entry;
}

template <typename Body>
double nanoseconds(Body body) {
  const auto start = std::chrono::steady_clock::now();
  benchmark::DoNotOptimize(body());
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

void simulate_once(benchmark::State& state, const std::string& graph, const std::string& machine,
                   const std::string& planner) {
  const Problem& task = cached_problem(graph, machine);
  const Plan chosen = plan(task, planner);
  LongestPath bare(task, chosen);
  Simulator simulator(task);
  simulator.run(chosen);
  double least_bare = 1e300, least_full = 1e300;
  for (auto _ : state) {
    least_bare = std::min(least_bare, nanoseconds([&] { return bare.run(); }));
    least_full = std::min(least_full, nanoseconds([&] { return simulator.run(chosen).step_time; }));
  }
  state.SetLabel(graph + " " + machine);
  const auto ops = static_cast<double>(task.graph().num_ops());
  state.counters["times_bare"] = least_full / least_bare;
  state.counters["ns_per_event"] = least_full / static_cast<double>(simulator.last_events());
  state.counters["ns_per_op"] = least_full / ops;
  state.counters["ops"] = ops;
  state.counters["crossings"] = static_cast<double>(count_crossings(task.graph(), chosen));
  state.counters["ms"] = least_full / 1e6;
}

// What priorities cost: the same plan with one for every op, how long its way to the end is, and with none.
void simulate_with_priorities(benchmark::State& state, const std::string& graph, const std::string& machine,
                              const std::string& planner) {
  const Problem& task = cached_problem(graph, machine);
  const Plan plain = plan(task, planner);
  Plan ordered = plain;
  ordered.priority = ways_to_the_end(task, plain);
  Simulator without(task), with(task);
  without.run(plain);
  with.run(ordered);
  double least_without = 1e300, least_with = 1e300;
  for (auto _ : state) {
    least_without = std::min(least_without, nanoseconds([&] { return without.run(plain).step_time; }));
    least_with = std::min(least_with, nanoseconds([&] { return with.run(ordered).step_time; }));
  }
  state.SetLabel(graph + " " + machine);
  state.counters["times_without"] = least_with / least_without;
  state.counters["ns_per_event"] = least_with / static_cast<double>(with.last_events());
  state.counters["ms"] = least_with / 1e6;
}

void evaluate_batch(benchmark::State& state, const std::string& graph, const std::string& machine) {
  const Problem& task = cached_problem(graph, machine);
  const auto evaluator = make_simulated_evaluator(task, static_cast<int>(state.range(0)));
  GatheredPlans plans;
  while (plans.size() < 64) plans.add(plan(task, "expert"));
  for (auto _ : state) benchmark::DoNotOptimize(evaluator->evaluate(plans.batch()));
  state.counters["evaluations/s"] = benchmark::Counter(
      static_cast<double>(plans.size()) * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

void register_all() {
  struct Row {
    const char *label, *graph, *machine;
    int iterations;
  };
  const Row rows[] = {{"nmt4", "captured/nmt4.train.json.gz", "k40x4", 200},
                      {"nmt8", "captured/nmt8.train.json.gz", "k40x8", 100},
                      {"fifty-thousand", "zoo:nmt-8,unroll=28", "k40x8", 100},
                      {"million", "zoo:nmt-8,unroll=575", "k40x8", 40}};
  for (const Row& row : rows) {
    for (const char* planner : {"expert", "round-robin", "random"}) {
      benchmark::RegisterBenchmark(
          (std::string("simulate/") + row.label + "/" + planner).c_str(),
          [=](benchmark::State& state) { simulate_once(state, row.graph, row.machine, planner); })
          ->Iterations(row.iterations)
          ->Unit(benchmark::kMillisecond);
      benchmark::RegisterBenchmark(
          (std::string("priorities/") + row.label + "/" + planner).c_str(),
          [=](benchmark::State& state) { simulate_with_priorities(state, row.graph, row.machine, planner); })
          ->Iterations(row.iterations)
          ->Unit(benchmark::kMillisecond);
    }
  }
  benchmark::RegisterBenchmark(
      "batch/nmt4/expert",
      [](benchmark::State& state) { evaluate_batch(state, "captured/nmt4.train.json.gz", "k40x4"); })
      ->Arg(1)
      ->Arg(2)
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

}  // namespace
}  // namespace berth::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  berth::bench::register_all();
  benchmark::RunSpecifiedBenchmarks();
}

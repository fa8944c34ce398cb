// SPDX-License-Identifier: Apache-2.0
// What the executor costs: a step by it, against a plain loop over the same calls in the same order on one thread.
// Usage: exec_overhead [--cores cpu:0-3] CAPTURE...; prints both medians per graph, and what an op costs on top.
// Default: one core.
#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

#include <chrono>
#include <cstdio>

#include "exec/devices/cpus.h"
#include "exec/executor.h"
#include "exec/program/initial_values.h"
#include "files/files.h"
#include "import/graph_file.h"
#include "measure/sample.h"

namespace berth::exec {
namespace {

constexpr int kRuns = 400, kFewest = 3;
constexpr double kEnough_s = 6.0;  // of a graph

// Frees nothing until the step is over; what a loop that knows nothing of lifetimes would do.
double plain_step(const Graph& graph, const Program& program, const std::vector<at::Tensor>& stored) {
  const auto start = std::chrono::steady_clock::now();
  Inputs values(graph.num_tensors());
  std::vector<std::uint32_t> uses(graph.num_tensors());
  for (const TensorId tensor : graph.tensors()) {
    uses[index(tensor)] = static_cast<std::uint32_t>(graph.consumers(tensor).size());
  }
  Stack stack;
  for (const OpId op : graph.ops()) {
    if (is_stored(graph.role(op))) {
      if (!graph.outputs(op).empty()) values[index(*graph.outputs(op).begin())] = stored[index(op)];
      continue;
    }
    std::vector<at::Tensor> results = invoke(program.call(op), values, at::kCPU, index(op) + 1, stack);
    std::size_t i = 0;
    for (const TensorId output : graph.outputs(op)) values[index(output)] = std::move(results[i++]);
    for (const TensorId input : graph.distinct_inputs(op)) {
      if (--uses[index(input)] == 0) values[index(input)] = at::Tensor();
    }
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Result<void> compare(const std::string& path, std::string_view cores) {
  BERTH_TRY(std::string text, read_file(path));
  BERTH_TRY(const Graph graph, parse_graph(text, path));
  BERTH_TRY(const Program program, Program::read(std::move(text), graph));
  BERTH_TRY(std::vector<DeviceSpec> devices, parse_device_specs(cores, cores_here()));
  BERTH_TRY(const std::unique_ptr<Executor> executor, Executor::make(graph, program, devices));
  Plan all_on_first;
  all_on_first.device_of.resize(graph.num_ops());
  executor->prepare(all_on_first);
  const c10::InferenceMode no_gradients(true);
  use_cores(devices.front().cores);
  std::vector<at::Tensor> stored(graph.num_ops());
  std::size_t compute = 0, calls = 0;
  for (const OpId op : graph.ops()) {
    compute += graph.role(op) == Role::kCompute ? 1 : 0;
    calls += is_stored(graph.role(op)) ? 0 : 1;
    if (is_stored(graph.role(op)) && !graph.outputs(op).empty()) stored[index(op)] = initial_value(graph, op, at::kCPU);
  }
  std::vector<double> plain, run;
  double total_s = 0.0;
  for (int i = 0; i < kRuns && (i < kFewest || total_s < kEnough_s); ++i) {  // in turns: in the same mood
    plain.push_back(plain_step(graph, program, stored));
    total_s += 2.0 * plain.back();
    BERTH_TRY(const Step step, executor->step(false));
    run.push_back(step.seconds);
  }
  const double plain_s = quantile(plain, 0.5), run_s = quantile(run, 0.5);
  std::printf("%-24s %6zu ops, %8.1f us each: plain %9.3f ms, executor %9.3f ms, %+.1f %%, %+.2f us per call\n",
              graph.title().c_str(), compute, 1e6 * plain_s / static_cast<double>(compute), 1e3 * plain_s, 1e3 * run_s,
              100.0 * (run_s / plain_s - 1.0), 1e6 * (run_s - plain_s) / static_cast<double>(calls));
  std::fflush(stdout);  // large graphs take a while
  return {};
}

}  // namespace
}  // namespace berth::exec

int main(int argc, char** argv) {
  std::string_view cores = "cpu:0";
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--cores" && i + 1 < argc) {
      cores = argv[++i];
      continue;
    }
    const auto done = berth::exec::compare(argv[i], cores);
    if (!done.ok()) std::fprintf(stderr, "%s\n", done.error().message.c_str());
  }
  return 0;
}

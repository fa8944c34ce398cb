// SPDX-License-Identifier: Apache-2.0
// Time and memory to build, write and load the largest graph: a million ops from the zoo, and captured nmt8 from gzip.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>

#include "workloads.h"

namespace berth::bench {
namespace {

constexpr const char* kMillionOps = "zoo:nmt-8,unroll=575";

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

void report(benchmark::State& state, std::size_t ops) {
  state.counters["ops"] = static_cast<double>(ops);
  state.counters["peak_MB_of_process"] = peak_megabytes();  // never falls: run one benchmark at a time for its own
}

void load_captured(benchmark::State& state) {
  std::size_t ops = 0;
  for (auto _ : state) ops = load("captured/nmt8.train.json.gz").num_ops();
  report(state, ops);
}

void build_million(benchmark::State& state) {
  std::size_t ops = 0;
  for (auto _ : state) ops = load(kMillionOps).num_ops();
  report(state, ops);
}

// The file is written by a child process, so that this one's peak is that of loading alone.
void load_million(benchmark::State& state) {
  const std::string path = std::filesystem::temp_directory_path() / fmt::format("berth-million-{}.json", getpid());
  const std::string command = fmt::format(
      "'{}/berth' graph convert '{}' -o '{}'",
      std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path().string(), kMillionOps, path);
  if (std::system(command.c_str()) != 0) return state.SkipWithError("could not write the graph");
  std::size_t ops = 0;
  for (auto _ : state) ops = value_or_exit(load_graph_file(path)).num_ops();
  state.counters["file_MB"] = static_cast<double>(std::filesystem::file_size(path)) / 1e6;
  report(state, ops);
  std::filesystem::remove(path);
}

BENCHMARK(load_captured)->Unit(benchmark::kMillisecond);
BENCHMARK(build_million)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(load_million)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace berth::bench

BENCHMARK_MAIN();

// SPDX-License-Identifier: Apache-2.0
// The batch simulator's loop on one core beside the engine and a bare pass over the graph, on the same plans in turn;
// the least of each counts.
//   batch_bench [GRAPH MACHINE PLANNER]...
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "sim/batch/compact.h"
#include "sim/batch/host_run.h"
#include "sim/simulator.h"
#include "workloads.h"

namespace berth::bench {
namespace {

template <typename Body>
double milliseconds(Body body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

void compare(const std::string& graph, const std::string& machine, const std::string& planner) {
  const Problem task = problem(graph, machine);
  Plan chosen = plan(task, planner);
  const auto compact = value_or_exit(batch::CompactProblem::make(task));
  batch::HostRun run(compact);
  Simulator simulator(task);
  std::vector<std::uint8_t> devices;
  for (const DeviceId device : chosen.device_of) devices.push_back(static_cast<std::uint8_t>(device));
  std::vector<double> ranks;
  for (std::size_t i = 0; i < devices.size(); ++i) ranks.push_back(-static_cast<double>(i ^ 5));
  Plan ranked = chosen;
  ranked.priority = ranks;
  chosen.priority.clear();
  double engine = 1e9, loop = 1e9, ranked_engine = 1e9, ranked_loop = 1e9;
  for (int i = 0; i < 60; ++i) {
    engine = std::min(engine, milliseconds([&] { simulator.run(chosen); }));
    loop = std::min(loop, milliseconds([&] { run.run(devices, {}); }));
    ranked_engine = std::min(ranked_engine, milliseconds([&] { simulator.run(ranked); }));
    ranked_loop = std::min(ranked_loop, milliseconds([&] { run.run(devices, ranks); }));
  }
  std::printf(
      "%-32s %-6s %-12s ops %7zu  engine %8.3f ms  loop %8.3f ms (%.2f)  ranked: engine %8.3f loop %8.3f (%.2f)\n",
      graph.c_str(), machine.c_str(), planner.c_str(), devices.size(), engine, loop, engine / loop, ranked_engine,
      ranked_loop, ranked_engine / ranked_loop);
}

}  // namespace
}  // namespace berth::bench

int main(int argc, char** argv) {
  for (int i = 1; i + 2 < argc; i += 3) berth::bench::compare(argv[i], argv[i + 1], argv[i + 2]);
}

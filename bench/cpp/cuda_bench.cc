// SPDX-License-Identifier: Apache-2.0
// Plans per second of the batch simulator on a GPU, beside the engine on one core of the same host, and how many plans
// of those that are checked differ from the processor's (none may). A line of name=value for every row; bench/gpu.py
// makes a table of them.
//   cuda_bench GRAPH MACHINE ROW...      rows as in cuda_rows.h: plans=16384,moved=50,ranks=own,near=1,checked=100
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "cuda_rows.h"
#include "sim/batch/compact.h"
#include "sim/batch/host_run.h"
#include "sim/simulator.h"

namespace berth::bench {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct Results {
  std::vector<batch::Time> times;
  std::vector<std::int64_t> peaks;
};

// Of the host build of the same loop; plans that outgrew their room on the card have no result.
std::uint32_t count_wrong(const batch::CompactProblem& compact, const RowBatch& plans, const Row& row,
                          const Results& results) {
  if (row.checked == 0) return 0;
  std::atomic<std::uint32_t> wrong = 0;
  const std::size_t step = std::max(1U, row.plans / row.checked);
  const std::size_t places = compact.view().num_devices + compact.view().num_pools;
  const std::size_t pieces = std::min<std::size_t>(64, row.plans);
  for_all(pieces, [&](std::size_t piece) {
    batch::HostRun host(compact);
    for (std::size_t i = piece * step; i < row.plans; i += pieces * step) {
      if (results.times[i] == batch::kNever) continue;
      bool same = host.run(plans.devices(i), plans.priorities(i)) && host.step_time() == results.times[i];
      for (std::uint32_t k = 0; k < places; ++k) same = same && host.peak(k) == results.peaks[i * places + k];
      if (!same) ++wrong;
    }
  });
  return wrong;
}

// Seconds of its fastest run, and how many of its step times differ.
std::pair<double, std::uint32_t> engine_beside(const Problem& task, const RowBatch& plans, const Row& row,
                                               const Results& results) {
  Simulator simulator(task);
  double least = 1e9;
  std::uint32_t wrong = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(20, row.plans); ++i) {
    Plan plan;
    for (const std::uint8_t device : plans.devices(i)) plan.device_of.push_back(DeviceId{device});
    plan.priority = plans.priorities(i);
    const auto start = Clock::now();
    const Score score = simulator.run(plan);
    least = std::min(least, seconds_since(start));
    const bool has_time = results.times[i] != batch::kNever;
    wrong += has_time && static_cast<batch::Time>(score.step_time) != results.times[i] ? 1 : 0;
  }
  return {least, wrong};
}

bool run_row(const Problem& task, const Plan& base, const batch::CompactProblem& compact, batch::CudaBatch& gpu,
             const std::string& text) {
  const Row row = parse_row(text);
  const RowBatch plans(task, base, row);
  batch::Ranking ranking;
  ranking.set(compact.view(), plans.shared_priorities());
  Results results{
      std::vector<batch::Time>(row.plans),
      std::vector<std::int64_t>(row.plans * std::size_t{compact.view().num_devices + compact.view().num_pools})};
  gpu.set_layout({row.tile, row.per_warp, 2});
  batch::BaseRun run_of_base(compact, gpu.capacities());
  double least = 1e9;
  batch::CudaTimes card;
  for (std::uint32_t repeat = 0; repeat < std::max(1U, row.repeats); ++repeat) {
    batch::CudaPlans there = plans.for_card();
    const auto start = Clock::now();  // the base is recorded and uploaded anew every time
    if (row.near != 0 && run_of_base.record(plans.base(), ranking)) there.run_of_base = &run_of_base;
    std::string why;
    if (!gpu.run(there, ranking, results.times.data(), results.peaks.data(), why)) {
      std::fprintf(stderr, "%s: %s\n", text.c_str(), why.c_str());
      return false;
    }
    if (const double took = seconds_since(start); took < least) {
      least = took;
      card = gpu.last_times();
    }
  }
  const auto failed = std::count(results.times.begin(), results.times.end(), batch::kNever);
  const auto [engine, wrong_beside_engine] = engine_beside(task, plans, row, results);
  const std::uint32_t wrong = count_wrong(compact, plans, row, results) + wrong_beside_engine;
  std::printf(
      "row=%s ops=%u plans_per_s=%.0f engine_ms=%.3f times_engine=%.0f upload_ms=%.1f rank_ms=%.1f prepare_ms=%.1f "
      "all_ms=%.1f saved=%.2f kb_a_plan=%.1f failed=%ld wrong=%u\n",
      text.c_str(), compact.view().num_ops, row.plans / least, engine * 1e3, row.plans / least * engine, card.upload,
      card.rank, card.prepare, least * 1e3, card.saved, static_cast<double>(gpu.bytes_per_plan()) / 1e3,
      static_cast<long>(failed), wrong);
  std::fflush(stdout);
  return wrong == 0;
}

// The expert's, or where there is none for such a graph or machine, all on one device.
Plan base_of(const Problem& task) {
  for (const std::string_view name : {"expert", "single"}) {
    const auto* info = find_classical_planner(name);
    Search search(task, {});
    if (auto found = info->make()->plan(search); found.ok()) return std::move(found).value();
  }
  return plan(task, "random");
}

}  // namespace
}  // namespace berth::bench

int main(int argc, char** argv) {
  using namespace berth;
  if (argc < 3) return 2;
  const Problem task = bench::problem(argv[1], argv[2]);
  const auto compact = bench::value_or_exit(batch::CompactProblem::make(task));
  std::string why;
  const auto threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const auto gpu = batch::CudaBatch::make(compact.view(), compact.tables(), threads, why);
  if (!gpu) {
    std::fprintf(stderr, "%s\n", why.c_str());
    return 2;
  }
  std::printf("gpu=%s\n", gpu->card().c_str());
  const Plan base = bench::base_of(task);
  bool all_right = true;
  for (int i = 3; i < argc; ++i) all_right &= bench::run_row(task, base, compact, *gpu, argv[i]);
  return all_right ? 0 : 1;
}

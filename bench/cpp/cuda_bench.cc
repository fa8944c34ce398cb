// SPDX-License-Identifier: Apache-2.0
// Plans per second of the batch simulator on a GPU, beside the engine on one core of the same host, and how many plans
// of those that are checked differ from the processor's (none may).
//   cuda_bench GRAPH MACHINE [MODE:PLANS:TILE:PER_WARP:CHECKED:RANKED]...
// MODE: most groups moved, or "random". TILE, PER_WARP: layout of threads, 0 to choose. RANKED: 0 no priorities, 1 all
// different, 2 some shared, 3 every plan its own.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <thread>

#include "base/rng.h"
#include "sim/batch/cuda/cuda_batch.h"
#include "sim/batch/host_run.h"
#include "sim/simulator.h"
#include "workloads.h"

namespace berth::bench {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

DeviceId random_device(DeviceSet allowed, Rng& rng) {
  auto skip = rng.below(static_cast<std::uint64_t>(std::popcount(allowed)));
  for (; skip > 0; --skip) allowed &= allowed - 1;
  return DeviceId(static_cast<std::uint16_t>(std::countr_zero(allowed)));
}

struct Row {
  std::string mode;
  std::uint32_t plans = 0, tile = 0, per_warp = 0, checked = 0, ranked = 0;
};
Row parse(const std::string& text) {
  Row row;
  std::stringstream stream(text);
  std::getline(stream, row.mode, ':');
  char colon = 0;
  stream >> row.plans >> colon >> row.tile >> colon >> row.per_warp >> colon >> row.checked >> colon >> row.ranked;
  return row;
}

struct Batch {
  std::vector<std::uint8_t> base, devices;  // devices: of random plans
  std::vector<std::uint32_t> begin{0};
  std::vector<batch::CudaMove> moves;

  [[nodiscard]] std::vector<std::uint8_t> plan(std::size_t i) const {
    if (!devices.empty()) {
      const auto first = devices.begin() + static_cast<std::ptrdiff_t>(i * base.size());
      return {first, first + static_cast<std::ptrdiff_t>(base.size())};
    }
    std::vector<std::uint8_t> plan = base;
    for (std::uint32_t k = begin[i]; k < begin[i + 1]; ++k) {
      plan[moves[k].op] = static_cast<std::uint8_t>(moves[k].device);
    }
    return plan;
  }
};

Batch make_batch(const Problem& task, const Plan& base, const Row& row) {
  Batch batch;
  for (const DeviceId device : base.device_of) batch.base.push_back(static_cast<std::uint8_t>(device));
  Rng rng(row.plans);
  const auto units = static_cast<std::uint64_t>(task.num_units());
  for (std::uint32_t i = 0; i < row.plans; ++i) {
    if (row.mode == "random") {
      const std::size_t first = batch.devices.size();
      batch.devices.resize(first + batch.base.size());
      for (std::uint32_t unit = 0; unit < units; ++unit) {
        const auto device = static_cast<std::uint8_t>(random_device(task.unit_allowed(unit), rng));
        for (const OpId op : task.unit_ops(unit)) batch.devices[first + index(op)] = device;
      }
      continue;
    }
    const auto count = 1 + rng.below(std::stoull(row.mode));
    for (std::uint64_t k = 0; k < count; ++k) {
      const auto unit = static_cast<std::uint32_t>(rng.below(units));
      const auto device = static_cast<std::uint32_t>(random_device(task.unit_allowed(unit), rng));
      for (const OpId op : task.unit_ops(unit)) batch.moves.push_back({static_cast<std::uint32_t>(op), device});
    }
    batch.begin.push_back(static_cast<std::uint32_t>(batch.moves.size()));
  }
  return batch;
}

std::span<const double> priorities_of(const std::vector<double>& all, const Row& row, std::size_t plan,
                                      std::size_t ops) {
  return row.ranked == 3 ? std::span(all).subspan(plan * ops, ops) : std::span(all);
}

std::uint32_t count_wrong(const batch::CompactProblem& compact, const Batch& plans, const Row& row,
                          const std::vector<double>& priorities, const std::vector<batch::Time>& times,
                          const std::vector<std::int64_t>& peaks) {
  std::atomic<std::uint32_t> wrong = 0;
  std::vector<std::thread> threads;
  const std::uint32_t step = std::max(1U, row.plans / std::max(1U, row.checked));
  const unsigned workers = std::max(1U, std::thread::hardware_concurrency());
  for (unsigned worker = 0; worker < workers; ++worker) {
    threads.emplace_back([&, worker] {
      batch::HostRun host(compact);
      const std::size_t places = compact.view().num_devices + compact.view().num_pools;
      for (std::size_t i = worker * std::size_t{step}; i < row.plans && row.checked > 0;
           i += workers * std::size_t{step}) {
        if (times[i] == batch::kNever) continue;
        bool same = host.run(plans.plan(i), priorities_of(priorities, row, i, plans.base.size())) &&
                    host.step_time() == times[i];
        for (std::uint32_t k = 0; k < places; ++k) same = same && host.peak(k) == peaks[i * places + k];
        if (!same) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return wrong;
}

double engine_seconds(const Problem& task, const Batch& plans, const Row& row, const std::vector<double>& priorities) {
  Simulator simulator(task);
  double least = 1e9;
  for (std::size_t i = 0; i < std::min<std::size_t>(20, plans.devices.empty() ? plans.begin.size() - 1 : 20); ++i) {
    Plan plan;
    for (const std::uint8_t device : plans.plan(i)) plan.device_of.push_back(DeviceId{device});
    const auto own = priorities_of(priorities, row, i, plans.base.size());
    plan.priority.assign(own.begin(), own.end());
    const auto start = Clock::now();
    simulator.run(plan);
    least = std::min(least, seconds_since(start));
  }
  return least;
}

void run_row(const Problem& task, const Plan& base, const batch::CompactProblem& compact, batch::CudaBatch& gpu,
             const std::string& text) {
  const Row row = parse(text);
  const Batch plans = make_batch(task, base, row);
  std::vector<double> priorities;
  Rng rng(9);
  const std::size_t count = row.ranked == 0 ? 0 : plans.base.size() * (row.ranked == 3 ? row.plans : 1);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t i = k % plans.base.size();
    const auto noise = static_cast<double>(i + rng.below(200));
    priorities.push_back(row.ranked == 2 ? -std::floor(noise / 50) : -noise - 1e-7 * static_cast<double>(i));
  }
  batch::Ranking ranking;
  if (row.ranked != 3) ranking.set(compact.view(), priorities);
  std::vector<batch::Time> times(row.plans);
  std::vector<std::int64_t> peaks(row.plans * std::size_t{compact.view().num_devices + compact.view().num_pools});
  gpu.set_layout({row.tile, row.per_warp, 2});
  double least = 1e9;
  batch::CudaTimes card;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const auto start = Clock::now();
    batch::CudaPlans there{row.plans, plans.devices.data(), nullptr, nullptr, nullptr};
    if (plans.devices.empty()) there = {row.plans, nullptr, plans.base.data(), plans.begin.data(), plans.moves.data()};
    if (row.ranked == 3) there.priorities = priorities.data();
    std::string why;
    if (!gpu.run(there, ranking, times.data(), peaks.data(), why)) {
      std::printf("%s: %s\n", text.c_str(), why.c_str());
      return;
    }
    if (const double took = seconds_since(start); took < least) {
      least = took;
      card = gpu.last_times();
    }
  }
  const auto failed = std::count(times.begin(), times.end(), batch::kNever);
  const std::uint32_t wrong = count_wrong(compact, plans, row, priorities, times, peaks);
  const double engine = engine_seconds(task, plans, row, priorities);
  std::printf(
      "  %-26s %9.0f plans/s  %6.0f x engine (%.3f ms)  upload %.1f of %.1f ms  failed %ld  "
      "wrong %u\n",
      text.c_str(), row.plans / least, row.plans / least * engine, engine * 1e3, card.upload, least * 1e3,
      static_cast<long>(failed), wrong);
  std::fflush(stdout);
}

}  // namespace
}  // namespace berth::bench

int main(int argc, char** argv) {
  using namespace berth;
  if (argc < 3) return 2;
  const Problem task = bench::problem(argv[1], argv[2]);
  const auto compact = bench::value_or_exit(batch::CompactProblem::make(task));
  std::string why;
  const auto gpu = batch::CudaBatch::make(compact.view(), compact.tables(), why);
  if (!gpu) {
    std::fprintf(stderr, "%s\n", why.c_str());
    return 2;
  }
  const Plan base = bench::plan(task, "expert");
  std::printf("%s %s on %s: %u ops, %u devices, %u queues, %.1f KB a plan\n", argv[1], argv[2], gpu->card().c_str(),
              compact.view().num_ops, compact.view().num_devices, compact.view().num_queues,
              static_cast<double>(gpu->bytes_per_plan()) / 1e3);
  for (int i = 3; i < argc; ++i) bench::run_row(task, base, compact, *gpu, argv[i]);
}

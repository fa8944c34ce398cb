// SPDX-License-Identifier: Apache-2.0
// Plans per second of the batch simulator on a GPU, beside the engine on one core of the same host, and how many plans
// of those that are checked differ from the processor's (none may).
//   cuda_bench GRAPH MACHINE [MODE:PLANS:TILE:PER_WARP:CHECKED:RANKED:NEAR]...
// MODE: most groups moved, or "random". TILE, PER_WARP: layout of threads, 0 to choose. RANKED: 0 no priorities, 1 all
// different, 2 some shared; every plan its own: 3 doubles, 4 whole numbers in doubles, 5 small whole numbers. NEAR: 1
// to begin at moments of the base's run.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <thread>

#include "base/rng.h"
#include "sim/batch/compact.h"
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
  std::uint32_t plans = 0, tile = 0, per_warp = 0, checked = 0, ranked = 0, near = 0;
  [[nodiscard]] bool has_own() const { return ranked >= 3; }
};
Row parse(const std::string& text) {
  Row row;
  std::stringstream stream(text);
  std::getline(stream, row.mode, ':');
  char colon = 0;
  stream >> row.plans >> colon >> row.tile >> colon >> row.per_warp >> colon >> row.checked >> colon >> row.ranked >>
      colon >> row.near;
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

// On all cores: body(i) for every i below `count`.
template <typename Body>
void for_all(std::size_t count, Body body) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::thread> threads;
  for (unsigned worker = 0; worker < std::max(1U, std::thread::hardware_concurrency()); ++worker) {
    threads.emplace_back([&] {
      for (std::size_t i = next++; i < count; i = next++) body(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Near the order of ids, for all plans or for each.
struct Priorities {
  std::vector<double> all;
  std::vector<std::uint16_t> small;

  Priorities(const Row& row, std::size_t ops) {
    if (row.ranked == 0) return;
    const std::size_t rows = row.has_own() ? row.plans : 1;
    if (row.ranked == 5) {
      small.resize(rows * ops);
    } else {
      all.resize(rows * ops);
    }
    for_all(rows, [&](std::size_t i) { fill(row, i * ops, ops); });
  }
  void fill(const Row& row, std::size_t first, std::size_t ops) {
    Rng rng(9 + first);
    for (std::size_t op = 0; op < ops; ++op) {
      const auto noise = static_cast<double>(op + rng.below(200));
      if (row.ranked == 1 || row.ranked == 3) all[first + op] = -noise - 1e-7 * static_cast<double>(op);
      if (row.ranked == 2) all[first + op] = -std::floor(noise / 50);
      if (row.ranked == 4) all[first + op] = std::max(0.0, 65000 - noise);
      if (row.ranked == 5) small[first + op] = static_cast<std::uint16_t>(std::max(0.0, 65000 - noise));
    }
  }
  [[nodiscard]] std::vector<double> of(const Row& row, std::size_t plan, std::size_t ops) const {
    const std::size_t first = row.has_own() ? plan * ops : 0;
    const auto copy = [&](const auto& from) {
      const auto begin = from.begin() + static_cast<std::ptrdiff_t>(first);
      return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(from.empty() ? 0 : ops));
    };
    return small.empty() ? copy(all) : copy(small);
  }
};

std::uint32_t count_wrong(const batch::CompactProblem& compact, const Batch& plans, const Row& row,
                          const Priorities& priorities, const std::vector<batch::Time>& times,
                          const std::vector<std::int64_t>& peaks) {
  if (row.checked == 0) return 0;
  std::atomic<std::uint32_t> wrong = 0;
  const std::size_t step = std::max(1U, row.plans / row.checked), ops = plans.base.size();
  const std::size_t places = compact.view().num_devices + compact.view().num_pools;
  const std::size_t pieces = std::min<std::size_t>(64, row.plans);
  for_all(pieces, [&](std::size_t piece) {
    batch::HostRun host(compact);
    for (std::size_t i = piece * step; i < row.plans; i += pieces * step) {
      if (times[i] == batch::kNever) continue;
      bool same = host.run(plans.plan(i), priorities.of(row, i, ops)) && host.step_time() == times[i];
      for (std::uint32_t k = 0; k < places; ++k) same = same && host.peak(k) == peaks[i * places + k];
      if (!same) ++wrong;
    }
  });
  return wrong;
}

double engine_seconds(const Problem& task, const Batch& plans, const Row& row, const Priorities& priorities) {
  Simulator simulator(task);
  double least = 1e9;
  for (std::size_t i = 0; i < std::min<std::size_t>(20, row.plans); ++i) {
    Plan plan;
    for (const std::uint8_t device : plans.plan(i)) plan.device_of.push_back(DeviceId{device});
    plan.priority = priorities.of(row, i, plans.base.size());
    const auto start = Clock::now();
    simulator.run(plan);
    least = std::min(least, seconds_since(start));
  }
  return least;
}

batch::CudaPlans plans_for_card(const Row& row, const Batch& plans, const Priorities& priorities) {
  batch::CudaPlans there{.size = row.plans};
  if (plans.devices.empty()) {
    there.base = plans.base.data();
    there.first_move = plans.begin.data();
    there.moves = plans.moves.data();
  } else {
    there.devices = plans.devices.data();
  }
  if (row.has_own() && row.ranked < 5) there.priorities = priorities.all.data();
  if (row.ranked == 5) there.small_priorities = priorities.small.data();
  return there;
}

void run_row(const Problem& task, const Plan& base, const batch::CompactProblem& compact, batch::CudaBatch& gpu,
             const std::string& text) {
  const Row row = parse(text);
  const Batch plans = make_batch(task, base, row);
  const Priorities priorities(row, plans.base.size());
  batch::Ranking ranking;
  if (!row.has_own()) ranking.set(compact.view(), priorities.all);
  std::vector<batch::Time> times(row.plans);
  std::vector<std::int64_t> peaks(row.plans * std::size_t{compact.view().num_devices + compact.view().num_pools});
  gpu.set_layout({row.tile, row.per_warp, 2});
  batch::BaseRun run_of_base(compact, gpu.capacities());
  double least = 1e9;
  batch::CudaTimes card;
  for (int repeat = 0; repeat < 3; ++repeat) {
    batch::CudaPlans there = plans_for_card(row, plans, priorities);
    const auto start = Clock::now();
    if (row.near != 0 && run_of_base.record(plans.base, ranking)) there.run_of_base = &run_of_base;
    std::string why;
    if (!gpu.run(there, ranking, times.data(), peaks.data(), why)) {
      std::printf("  %s: %s\n", text.c_str(), why.c_str());
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
      "  %-28s %9.0f plans/s  %6.0f x engine (%.3f ms)  ms: upload %.1f rank %.1f prepare %.1f all %.1f  saved %.2f  "
      "failed %ld  wrong %u\n",
      text.c_str(), row.plans / least, row.plans / least * engine, engine * 1e3, card.upload, card.rank, card.prepare,
      least * 1e3, card.saved, static_cast<long>(failed), wrong);
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
  const auto threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const auto gpu = batch::CudaBatch::make(compact.view(), compact.tables(), threads, why);
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

// SPDX-License-Identifier: Apache-2.0
#include "sim/batch/cuda/cuda_batch.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <numeric>
#include <vector>

#include "sim/batch/cuda/card.h"
#include "sim/batch/cuda/launch.h"
#include "sim/batch/cuda/own_priorities.h"
#include "sim/batch/cuda/parts.h"
#include "sim/batch/cuda/place_kernels.h"
#include "sim/batch/cuda/rank_kernels.h"
#include "sim/batch/cuda/run_kernel.h"

namespace berth::batch {
namespace {

Capacities first_capacities(const CompactView& problem) {
  const auto at_least = [](std::uint32_t least, std::uint32_t wish) { return std::bit_ceil(std::max(least, wish)); };
  return {at_least(128, problem.num_ops / 96), at_least(1024, problem.num_ops / 24),
          problem.num_sources + at_least(1024, problem.num_ops / 8), 64};
}

// As many warps as the card holds at once: fewer would leave it waiting for memory, and in more of them plans would
// wait for fewer others, but for a turn. Plans that skip a part of their run count as so much less.
CudaLayout chosen_layout(std::size_t plans, double share_run, std::uint32_t multiprocessors) {
  constexpr std::size_t kWarpsHeld = 16;  // by a multiprocessor, with what the loop takes of it
  const auto to_run = static_cast<std::size_t>(static_cast<double>(plans) * share_run);
  const std::size_t warps = kWarpsHeld * multiprocessors;
  const auto per_warp =
      std::min<std::size_t>(std::bit_ceil(std::max<std::size_t>((to_run + warps - 1) / warps, 1)), 32);
  const std::uint32_t tile = per_warp <= 2 ? 1 : per_warp <= 8 ? 8 : 32;
  return {tile, static_cast<std::uint32_t>(per_warp), 2};
}

std::uint32_t blocks_for(std::size_t work) {
  return static_cast<std::uint32_t>(std::min<std::size_t>((work + 255) / 256, 4096));
}

using Clock = std::chrono::steady_clock;
double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

}  // namespace

struct CudaBatch::State {
  std::shared_ptr<Card> card;
  int threads = 1;
  CompactView view{};  // of the tables on the card
  CardTables tables, tables_of_base;
  CardMemory<std::uint32_t> of_node, node_at, tie_end;
  Snapshots snapshots;  // on the card
  BaseTimes base;
  const BaseRun* run_of_base = nullptr;  // whose they are ...
  std::uint64_t records_of_base = 0;     // ... and which

  Capacities capacities{};
  CudaLayout layout;
  CudaTimes times;
  Order order = Order::kReadyTime;
  bool has_own_ranks = false, keys_are_small = false;
  double bias = 0;  // of small keys
  std::vector<std::uint32_t> moment_of, seats_of_moment, plan_at, moment_at;

  void upload_tables(const CompactView& problem, const CompactTables& from, Outcome& outcome) {
    view = problem;
    tables.begin();
    from.visit(view, [&](auto& pointer, const auto& table) { tables.upload(pointer, table, outcome); });
  }
  void upload_ranks(const Ranking& ranking, Outcome& outcome) {
    order = ranking.order();
    if (order == Order::kReadyTime) return;
    of_node.upload(ranking.of_node().data(), ranking.of_node().size(), outcome);
    node_at.upload(ranking.node_at().data(), ranking.node_at().size(), outcome);
    tie_end.upload(ranking.tie_end().data(), ranking.tie_end().size(), outcome);
  }
  void upload_base(const BaseRun& run, Outcome& outcome) {
    if (run_of_base == &run && records_of_base == run.num_records()) return;
    snapshots = run.snapshots();
    tables_of_base.begin();
    run.visit(snapshots, base,
              [&](auto& pointer, const auto& table) { tables_of_base.upload(pointer, table, outcome); });
    run_of_base = outcome.ok() ? &run : nullptr;
    records_of_base = run.num_records();
  }

  // ---- Memory.

  [[nodiscard]] PartSizes sizes() const { return {view, capacities, order, has_own_ranks, keys_are_small}; }

  // How many of the plans the card has room for at once; that room is reserved then.
  std::size_t most_at_once(std::size_t plans, std::size_t moves, Outcome& outcome) const {
    if (!outcome.ok()) return 0;
    const PartSizes sizes = this->sizes();
    constexpr std::size_t kTile = PartSizes::kTile, kToRound = std::size_t{1} << 16;
    const std::size_t room = card->room(outcome), fixed = sizes.bytes_for(0, moves) + kToRound;
    const std::size_t tiles = room < fixed ? 0 : (room - fixed) / (sizes.bytes_per_plan() * kTile);
    // What was free may be taken by others in the meantime.
    for (std::size_t most = std::min(plans, tiles * kTile); outcome.ok() && most > 0; most = most / 2) {
      if (card->reserve(sizes.bytes_for(most, moves)) != nullptr) return most;
    }
    outcome.refuse("the GPU has no memory left for a single tile of plans");
    return 0;
  }

  // ---- Priorities of every plan.

  // False if they are no small numbers after all.
  bool upload_keys(const CudaPlans& plans, const Parts& parts, Outcome& outcome) {
    const std::size_t total = plans.size * view.num_ops;
    if (!keys_are_small) {
      if (!plans.is_on_card) card->uploader().upload(parts.priorities, plans.priorities, total, threads, outcome);
      const double* there = plans.is_on_card ? plans.priorities : parts.priorities;
      batch::launch(make_keys, blocks_for(total), 256, 0, there, static_cast<std::uint64_t*>(parts.keys),
                    std::uint64_t{total});
      return true;
    }
    const auto pack = [&](std::byte* to, std::size_t first, std::size_t count) {
      auto* keys = reinterpret_cast<std::uint16_t*>(to);
      if (plans.priorities != nullptr) return pack_small(plans.priorities + first / 2, count / 2, bias, keys);
      pack_small(plans.small_priorities + first / 2, count / 2, keys);
      return true;
    };
    return card->uploader().upload(static_cast<std::byte*>(parts.keys), total * 2, pack, threads, outcome);
  }
  template <typename Key>
  void rank_plans(std::size_t plans, const Parts& parts, Outcome& outcome) {
    const std::uint64_t total = plans * std::uint64_t{view.num_ops};
    auto* sorted = static_cast<Key*>(parts.sorted_keys);
    batch::launch(number_ops, blocks_for(total), 256, 0, parts.ops, view.num_ops, total);
    if (!sort_rows(static_cast<const Key*>(parts.keys), sorted, parts.ops, parts.sorted_ops, plans, view.num_ops,
                   parts.sort_memory, sizes().space_to_sort(plans))) {
      return outcome.refuse("the GPU failed while sorting priorities");
    }
    outcome.check(cudaMemset(parts.has_ties, 0, sizeof(std::uint32_t)), "ranking ops");
    batch::launch(fill_ranks<Key>, blocks_for(total), 256, 0, view, sorted, parts.sorted_ops, parts.of_node,
                  parts.node_at, parts.tie_end, parts.has_ties, total);
    std::uint32_t has_ties = 0;
    outcome.check(cudaMemcpy(&has_ties, parts.has_ties, sizeof(has_ties), cudaMemcpyDeviceToHost), "ranking ops");
    order = has_ties != 0 ? Order::kRankTies : Order::kRank;
  }

  // ---- One part of a batch.

  template <std::uint32_t kTile>
  void place(const CudaPlans& plans, const std::uint8_t* devices, const Parts& parts) {
    const auto count = static_cast<std::uint32_t>(plans.size);
    batch::launch(place_ops<kTile>, blocks_for(count * std::size_t{view.num_ops}), 256, 0, view, parts.memory.nodes,
                  devices, count, plans.base != nullptr);
    if (plans.base == nullptr) return;
    batch::launch(move_ops<kTile>, (count + 127) / 128, 128, 0, view, parts.memory.nodes,
                  MovesOnCard{parts.moves, parts.first_move}, Starts{}, count);
  }

  // Where every plan begins, and their order: those that run longest come first, and neighbours begin together.
  Starts find_starts(std::size_t plans, const Parts& parts, Outcome& outcome) {
    constexpr std::uint32_t kTile = 32;
    const auto count = static_cast<std::uint32_t>(plans);
    batch::launch(find_moments<kTile>, (count + 127) / 128, 128, 0, view, parts.memory.nodes,
                  MovesOnCard{parts.moves, parts.first_move}, base, snapshots, parts.moment, count);
    moment_of.resize(plans);
    outcome.check(cudaMemcpy(moment_of.data(), parts.moment, plans * 4, cudaMemcpyDeviceToHost), "comparing plans");
    seats_of_moment.assign(snapshots.count + 1, 0);
    if (!outcome.ok()) return {};
    for (const std::uint32_t moment : moment_of) ++seats_of_moment[moment + 1];
    std::partial_sum(seats_of_moment.begin(), seats_of_moment.end(), seats_of_moment.begin());
    plan_at.resize(plans);
    moment_at.resize(plans);
    double saved = 0;
    for (std::uint32_t plan = 0; plan < plans; ++plan) {
      const std::uint32_t seat = seats_of_moment[moment_of[plan]]++;
      plan_at[seat] = plan;
      moment_at[seat] = moment_of[plan];
      saved += run_of_base->share_of(moment_of[plan]);
    }
    times.saved = saved / static_cast<double>(plans);
    outcome.check(cudaMemcpy(parts.plan_at, plan_at.data(), plans * 4, cudaMemcpyHostToDevice), "ordering plans");
    outcome.check(cudaMemcpy(parts.moment, moment_at.data(), plans * 4, cudaMemcpyHostToDevice), "ordering plans");
    return {parts.plan_at, parts.moment};
  }

  template <std::uint32_t kTile, typename T>
  void restore_one(T* part, const T* of_moments, std::uint32_t size, const Starts& starts, std::uint32_t plans) {
    if (size == 0) return;
    batch::launch(restore_part<kTile, T>, blocks_for(plans * std::size_t{size}), 256, 0, part, of_moments, size,
                  starts.moment, plans);
  }
  template <std::uint32_t kTile>
  void restore(const Parts& parts, const Starts& starts, std::uint32_t plans) {
    const BatchMemory& memory = parts.memory;
    restore_one<kTile>(memory.nodes, snapshots.nodes, view.num_nodes, starts, plans);
    restore_one<kTile>(memory.counters, snapshots.counters, view.num_counters, starts, plans);
    restore_one<kTile>(memory.ranks, snapshots.ranks, snapshots.num_rank_words, starts, plans);
    restore_one<kTile>(memory.since, snapshots.since, snapshots.num_since, starts, plans);
    batch::launch(move_ops<kTile>, (plans + 127) / 128, 128, 0, view, memory.nodes,
                  MovesOnCard{parts.moves, parts.first_move}, starts, plans);
  }

  template <std::uint32_t kTile, typename Mask, Order kOrder, bool kLanes>
  void launch(std::uint32_t plans, const Parts& parts, const Starts& starts, const CudaLayout& with, Outcome& outcome) {
    const auto kernel = simulate_plans<kTile, Mask, kOrder, kLanes>;
    const std::uint32_t per_block = with.warps_per_block * with.plans_per_warp;
    const std::size_t close = close_tables_bytes(view) + hot_bytes(view) * per_block;
    if (!outcome.check(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(close)),
            "asking for shared memory")) {
      return;
    }
    const Ranks of_all{of_node.data(), node_at.data(), tie_end.data()};
    const Ranks own{parts.of_node, parts.node_at, parts.tie_end};
    batch::launch(kernel, (plans + per_block - 1) / per_block, with.warps_per_block * 32, close, view, parts.memory,
                  has_own_ranks ? own : of_all, has_own_ranks, starts, snapshots, plans, with.plans_per_warp,
                  parts.step_times, parts.peaks);
    outcome.check(cudaGetLastError(), "starting the simulation");
  }
  template <std::uint32_t kTile, typename Mask, bool kLanes>
  void launch_in_order(std::uint32_t plans, const Parts& parts, const Starts& starts, const CudaLayout& with,
                       Outcome& outcome) {
    switch (order) {
      case Order::kReadyTime:
        return launch<kTile, Mask, Order::kReadyTime, kLanes>(plans, parts, starts, with, outcome);
      case Order::kRank:
        return launch<kTile, Mask, Order::kRank, kLanes>(plans, parts, starts, with, outcome);
      case Order::kRankTies:
        return launch<kTile, Mask, Order::kRankTies, kLanes>(plans, parts, starts, with, outcome);
    }
  }

  template <std::uint32_t kTile>
  void run_tiled(const CudaPlans& plans, const std::uint8_t* devices, const Parts& parts, const Starts& starts,
                 const CudaLayout& with, Outcome& outcome) {
    const auto count = static_cast<std::uint32_t>(plans.size);
    if (starts.moment != nullptr) {
      restore<kTile>(parts, starts, count);
    } else {
      place<kTile>(plans, devices, parts);
    }
    const bool has_lanes = view.num_slots > view.num_devices + view.num_queues;
    if (view.num_slots <= 32 && !has_lanes) {
      launch_in_order<kTile, std::uint32_t, false>(count, parts, starts, with, outcome);
    } else {
      launch_in_order<kTile, std::uint64_t, true>(count, parts, starts, with, outcome);
    }
  }

  [[nodiscard]] CudaLayout layout_for(std::size_t plans) const {
    CudaLayout with = chosen_layout(plans, 1 - times.saved, card->num_multiprocessors());
    if (layout.tile != 0) with.tile = layout.tile;
    if (layout.plans_per_warp != 0) with.plans_per_warp = layout.plans_per_warp;
    with.warps_per_block = layout.warps_per_block;
    return with;
  }

  void upload_plans(const CudaPlans& plans, const Parts& parts, Outcome& outcome) {
    Uploader& uploader = card->uploader();
    if (plans.base == nullptr) {
      const std::size_t total = plans.size * view.num_ops;
      if (!plans.is_on_card) uploader.upload(parts.devices, plans.devices, total, threads, outcome);
      return;
    }
    const std::uint32_t first = plans.first_move[0], end = plans.first_move[plans.size];
    uploader.upload(parts.devices, plans.base, view.num_ops, threads, outcome);
    uploader.upload(parts.first_move, plans.first_move, plans.size + 1, threads, outcome);
    uploader.upload(parts.moves, plans.moves + first, end - first, threads, outcome);
  }

  // Plans that fit at once, in memory that is reserved. False if their priorities are no small numbers after all.
  bool run_part(const CudaPlans& plans, const Parts& parts, Time* to_times, std::int64_t* to_peaks, Outcome& outcome) {
    auto start = Clock::now();
    const auto add_time = [&](double& to) {
      to += milliseconds_since(start);
      start = Clock::now();
    };
    upload_plans(plans, parts, outcome);
    if (has_own_ranks && !upload_keys(plans, parts, outcome)) return false;
    add_time(times.upload);
    if (has_own_ranks && outcome.ok()) {
      keys_are_small ? rank_plans<std::uint16_t>(plans.size, parts, outcome)
                     : rank_plans<std::uint64_t>(plans.size, parts, outcome);
    }
    add_time(times.rank);
    const std::uint8_t* devices = plans.is_on_card ? plans.devices : parts.devices;
    Starts starts;
    if (plans.run_of_base != nullptr && outcome.ok()) {
      place<32>(plans, devices, parts);
      starts = find_starts(plans.size, parts, outcome);
    } else if (order != Order::kReadyTime && outcome.ok()) {
      const std::size_t words = PartSizes::tiled(plans.size) * sizes().rank_words_per_plan();
      outcome.check(cudaMemset(parts.memory.ranks, 0, words * 8), "clearing its memory");
    }
    add_time(times.prepare);
    if (!outcome.ok()) return true;
    const CudaLayout with = layout_for(plans.size);
    if (with.tile == 1) run_tiled<1>(plans, devices, parts, starts, with, outcome);
    if (with.tile == 8) run_tiled<8>(plans, devices, parts, starts, with, outcome);
    if (with.tile == 32) run_tiled<32>(plans, devices, parts, starts, with, outcome);
    if (!outcome.ok()) return true;
    const std::size_t places = view.num_devices + view.num_pools;
    outcome.check(cudaMemcpy(to_times, parts.step_times, plans.size * sizeof(Time), cudaMemcpyDeviceToHost),
                  "simulating");
    outcome.check(cudaMemcpy(to_peaks, parts.peaks, plans.size * places * 8, cudaMemcpyDeviceToHost), "simulating");
    return true;
  }

  CudaPlans part_of(const CudaPlans& plans, std::size_t first, std::size_t count) const {
    CudaPlans part = plans;
    part.size = count;
    if (plans.base != nullptr) {
      part.first_move += first;
    } else {
      part.devices += first * view.num_ops;
    }
    if (plans.priorities != nullptr) part.priorities += first * view.num_ops;
    if (plans.small_priorities != nullptr) part.small_priorities += first * view.num_ops;
    return part;
  }

  // As many at once as the card has room for. False as run_part().
  bool run_parts(const CudaPlans& plans, Time* to_times, std::int64_t* to_peaks, Outcome& outcome) {
    const std::size_t moves = plans.base == nullptr ? 0 : plans.first_move[plans.size] - plans.first_move[0];
    if (has_own_ranks) order = Order::kRankTies;  // until their ranks are known: the order that takes most memory
    const std::size_t at_once = most_at_once(plans.size, moves, outcome), places = view.num_devices + view.num_pools;
    for (std::size_t done = 0; done < plans.size && outcome.ok(); done += at_once) {
      if (has_own_ranks) order = Order::kRankTies;
      const std::size_t count = std::min(at_once, plans.size - done);
      Carver carver(card->reserve(sizes().bytes_for(at_once, moves)));
      const Parts parts = sizes().carve(carver, at_once, moves);
      if (!run_part(part_of(plans, done, count), parts, to_times + done, to_peaks + done * places, outcome)) {
        return false;
      }
    }
    return true;
  }
};

CudaBatch::CudaBatch(std::unique_ptr<State> state) : state_(std::move(state)) {}
CudaBatch::~CudaBatch() = default;

std::unique_ptr<CudaBatch> CudaBatch::make(const CompactView& problem, const CompactTables& tables, int threads,
                                           std::string& why) {
  auto state = std::make_unique<State>();
  state->card = Card::shared(why);
  if (state->card == nullptr) return nullptr;
  Outcome outcome;
  state->threads = threads;
  state->upload_tables(problem, tables, outcome);
  state->capacities = first_capacities(problem);
  why = outcome.why();
  return outcome.ok() ? std::unique_ptr<CudaBatch>(new CudaBatch(std::move(state))) : nullptr;
}

bool CudaBatch::run(const CudaPlans& plans, const Ranking& ranking, Time* times, std::int64_t* peaks,
                    std::string& why) {
  if (plans.size == 0) return true;
  State& state = *state_;
  const auto turn = state.card->turn();
  const auto start = Clock::now();
  Outcome outcome;
  state.times = {};
  state.has_own_ranks = plans.has_own_priorities();
  state.keys_are_small = plans.small_priorities != nullptr;
  if (state.has_own_ranks) {
    const std::size_t ops = state.view.num_ops;
    if (plans.priorities != nullptr && !plans.is_on_card) {
      std::vector<std::uint16_t> keys(ops);
      state.bias = bias_of(plans.priorities, ops);
      state.keys_are_small = pack_small(plans.priorities, ops, state.bias, keys.data());
    }
  } else {
    state.upload_ranks(ranking, outcome);
  }
  if (plans.run_of_base != nullptr) state.upload_base(*plans.run_of_base, outcome);
  if (!state.run_parts(plans, times, peaks, outcome)) {
    state.keys_are_small = false;
    state.run_parts(plans, times, peaks, outcome);
  }
  state.times.total = milliseconds_since(start);
  why = outcome.why();
  return outcome.ok();
}

void CudaBatch::set_layout(const CudaLayout& layout) { state_->layout = layout; }
void CudaBatch::set_capacities(const Capacities& capacities) { state_->capacities = capacities; }
const Capacities& CudaBatch::capacities() const { return state_->capacities; }
const CudaTimes& CudaBatch::last_times() const { return state_->times; }
std::size_t CudaBatch::bytes_per_plan() const { return state_->sizes().bytes_per_plan(); }
const std::string& CudaBatch::card() const { return state_->card->name(); }

}  // namespace berth::batch

// SPDX-License-Identifier: Apache-2.0
#include "sim/batch/cuda/cuda_batch.h"

#include <algorithm>
#include <bit>
#include <chrono>

#include "sim/batch/cuda/base_on_card.h"
#include "sim/batch/cuda/card.h"
#include "sim/batch/cuda/parts.h"
#include "sim/batch/cuda/place_kernels.h"
#include "sim/batch/cuda/rank_plans.h"
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
CudaLayout chosen_layout(std::size_t runs, std::uint32_t multiprocessors) {
  constexpr std::size_t kWarpsHeld = 16;  // by a multiprocessor, with what the loop takes of it
  const std::size_t warps = kWarpsHeld * multiprocessors;
  const std::size_t wish = std::bit_ceil(std::max<std::size_t>((runs + warps - 1) / warps, 1));
  const auto per_warp = static_cast<std::uint32_t>(std::min<std::size_t>(wish, 32));
  const std::uint32_t tile = per_warp <= 2 ? 1 : per_warp <= 8 ? 8 : 32;
  return {tile, per_warp, 2};
}

CudaPlans part_of(const CudaPlans& plans, std::size_t first, std::size_t count, std::size_t ops) {
  CudaPlans part = plans;
  part.size = count;
  if (plans.base != nullptr) {
    part.first_move += first;
  } else {
    part.devices += first * ops;
  }
  if (plans.priorities != nullptr) part.priorities += first * ops;
  return part;
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
  CardTables tables;
  CardMemory<std::uint32_t> of_node, node_at, tie_end;  // ranks that all plans share
  BaseOnCard base;

  Capacities capacities{};
  CudaLayout layout;
  CudaTimes times;
  Order order = Order::kReadyTime;
  bool have_own_priorities = false;
  KeyForm keys;

  // What stays on the card; the working memory of earlier batches gives way to it.
  template <typename Upload>
  void upload_to_stay(Upload upload, Outcome& outcome) {
    Outcome first;
    upload(first);
    if (first.ok()) return;
    card->give_back();
    upload(outcome);
  }
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

  // ---- Memory.

  [[nodiscard]] PartSizes sizes() const {
    return {view, capacities, have_own_priorities ? Order::kRankTies : order, have_own_priorities, keys.is_short};
  }
  [[nodiscard]] std::size_t bytes_per_plan() const {
    constexpr std::size_t kTile = PartSizes::kTile;
    return (sizes().bytes_for(2 * kTile, 0) - sizes().bytes_for(kTile, 0)) / kTile;
  }

  // How many of the plans the card has room for at once; that room is reserved then.
  std::size_t most_at_once(std::size_t plans, std::size_t moves, Outcome& outcome) const {
    constexpr std::size_t kTile = PartSizes::kTile, kToRound = std::size_t{1} << 16;
    const std::size_t room = card->room(outcome), fixed = sizes().bytes_for(0, moves) + kToRound;
    const std::size_t tiles = room < fixed ? 0 : (room - fixed) / (bytes_per_plan() * kTile);
    // What was free may be taken by others in the meantime.
    for (std::size_t most = std::min(plans, tiles * kTile); outcome.ok() && most > 0; most /= 2) {
      if (card->reserve(sizes().bytes_for(most, moves)) != nullptr) return most;
    }
    outcome.refuse("the GPU has no memory left for a single tile of plans");
    return 0;
  }

  // ---- One part of a batch.

  [[nodiscard]] CudaLayout layout_for(std::size_t runs) const {
    CudaLayout with = chosen_layout(runs, card->num_multiprocessors());
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

  template <std::uint32_t kTile>
  void place(const CudaPlans& plans, const Parts& parts) {
    const auto count = static_cast<std::uint32_t>(plans.size);
    const std::uint8_t* devices = plans.is_on_card ? plans.devices : parts.devices;
    launch_for_each(PartSizes::tiled(count) * view.num_ops, place_ops<kTile>, view, parts.memory.nodes, devices, count,
                    plans.base != nullptr);
    if (plans.base == nullptr) return;
    launch_for_each(count, move_ops<kTile>, view, parts.memory.nodes, moves_of(parts), Starts{}, count);
  }
  static MovesOnCard moves_of(const Parts& parts) { return {parts.moves, parts.first_move}; }

  // Where plans begin, and their seats.
  Starts find_starts(const CudaPlans& plans, const Parts& parts, double& runs_saved, Outcome& outcome) {
    constexpr std::uint32_t kTile = 32;
    const auto count = static_cast<std::uint32_t>(plans.size);
    place<kTile>(plans, parts);
    launch_for_each(count, find_moments<kTile>, view, static_cast<const std::uint32_t*>(parts.memory.nodes),
                    moves_of(parts), base.times, base.snapshots, parts.moment, count);
    runs_saved = base.seat(*plans.run_of_base, count, parts.moment, parts.plan_at, outcome);
    return {parts.plan_at, parts.moment};
  }

  template <std::uint32_t kTile, typename T>
  void restore_one(T* part, const T* of_moments, std::uint32_t size, const Starts& starts, std::uint32_t plans) {
    if (size == 0) return;
    launch_for_each(PartSizes::tiled(plans) * size, restore_part<kTile, T>, part, of_moments, size, starts.moment,
                    plans);
  }
  // What lies in tiles, as it was where plans begin, but for where they have moved ops.
  template <std::uint32_t kTile>
  void restore(const CudaPlans& plans, const Parts& parts, const Starts& starts) {
    const auto count = static_cast<std::uint32_t>(plans.size);
    const BatchMemory& memory = parts.memory;
    restore_one<kTile>(memory.nodes, base.snapshots.nodes, view.num_nodes, starts, count);
    restore_one<kTile>(memory.counters, base.snapshots.counters, view.num_counters, starts, count);
    restore_one<kTile>(memory.ranks, base.snapshots.ranks, base.snapshots.num_rank_words, starts, count);
    restore_one<kTile>(memory.since, base.snapshots.since, base.snapshots.num_since, starts, count);
    launch_for_each(count, move_ops<kTile>, view, memory.nodes, moves_of(parts), starts, count);
  }

  template <std::uint32_t kTile>
  void start(const CudaPlans& plans, const Parts& parts, Order with_order, const Starts& starts, const CudaLayout& with,
             Outcome& outcome) {
    if (starts.moment != nullptr) {
      restore<kTile>(plans, parts, starts);
    } else {
      place<kTile>(plans, parts);
    }
    const Ranks of_all{of_node.data(), node_at.data(), tie_end.data()};
    const Ranks own{parts.of_node, parts.node_at, parts.tie_end};
    const Runs runs{.memory = parts.memory,
                    .ranks = have_own_priorities ? own : of_all,
                    .have_own_ranks = have_own_priorities,
                    .starts = starts,
                    .snapshots = base.snapshots,
                    .plans = static_cast<std::uint32_t>(plans.size),
                    .plans_per_warp = with.plans_per_warp,
                    .times = parts.step_times,
                    .peaks = parts.peaks};
    start_runs<kTile>(view, runs, with_order, with.warps_per_block, outcome);
  }

  // Plans that fit at once, in memory that is reserved. False if their priorities cannot be written in short after all.
  bool run_part(const CudaPlans& plans, const Parts& parts, Time* to_times, std::int64_t* to_peaks, Outcome& outcome) {
    auto last = Clock::now();
    const auto add_time = [&](double& to) {
      to += milliseconds_since(last);
      last = Clock::now();
    };
    upload_plans(plans, parts, outcome);
    if (have_own_priorities && !upload_keys(view, plans, keys, parts, card->uploader(), threads, outcome)) return false;
    add_time(times.upload);
    Order with_order = order;
    if (have_own_priorities && outcome.ok()) with_order = rank_plans(view, plans.size, keys.is_short, parts, outcome);
    add_time(times.rank);
    Starts starts;
    double runs_saved = 0;
    if (plans.run_of_base != nullptr && outcome.ok()) {
      starts = find_starts(plans, parts, runs_saved, outcome);
    } else if (with_order != Order::kReadyTime && outcome.ok()) {
      const std::size_t words = PartSizes::tiled(plans.size) * rank_words_of_plan(view);
      outcome.check(cudaMemset(parts.memory.ranks, 0, words * 8), "clearing its memory");
    }
    add_time(times.prepare);
    times.saved += runs_saved;
    if (!outcome.ok()) return true;
    const CudaLayout with = layout_for(plans.size - static_cast<std::size_t>(runs_saved));
    if (with.tile == 1) start<1>(plans, parts, with_order, starts, with, outcome);
    if (with.tile == 8) start<8>(plans, parts, with_order, starts, with, outcome);
    if (with.tile == 32) start<32>(plans, parts, with_order, starts, with, outcome);
    if (!outcome.ok()) return true;
    const std::size_t places = view.num_devices + view.num_pools;
    outcome.check(cudaMemcpy(to_times, parts.step_times, plans.size * sizeof(Time), cudaMemcpyDeviceToHost),
                  "simulating");
    outcome.check(cudaMemcpy(to_peaks, parts.peaks, plans.size * places * 8, cudaMemcpyDeviceToHost), "simulating");
    return true;
  }

  // As many at once as the card has room for. False as run_part().
  bool run_parts(const CudaPlans& plans, Time* to_times, std::int64_t* to_peaks, Outcome& outcome) {
    const std::size_t moves = plans.base == nullptr ? 0 : plans.first_move[plans.size] - plans.first_move[0];
    const std::size_t at_once = most_at_once(plans.size, moves, outcome), places = view.num_devices + view.num_pools;
    if (!outcome.ok()) return true;
    Carver carver(card->reserve(sizes().bytes_for(at_once, moves)));
    const Parts parts = sizes().carve(carver, at_once, moves);
    for (std::size_t done = 0; done < plans.size && outcome.ok(); done += at_once) {
      const CudaPlans part = part_of(plans, done, std::min(at_once, plans.size - done), view.num_ops);
      if (!run_part(part, parts, to_times + done, to_peaks + done * places, outcome)) return false;
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
  const auto turn = state->card->turn();
  Outcome outcome;
  state->threads = threads;
  state->upload_to_stay([&](Outcome& of_it) { state->upload_tables(problem, tables, of_it); }, outcome);
  state->capacities = first_capacities(problem);
  why = outcome.why();
  return outcome.ok() ? std::unique_ptr<CudaBatch>(new CudaBatch(std::move(state))) : nullptr;
}

bool CudaBatch::run(const CudaPlans& given, const Ranking& ranking, Time* times, std::int64_t* peaks,
                    std::string& why) {
  if (given.size == 0) return true;
  CudaPlans plans = given;
  State& state = *state_;
  const auto turn = state.card->turn();
  const auto start = Clock::now();
  Outcome outcome;
  state.times = {};
  state.have_own_priorities = plans.priorities != nullptr;
  state.keys = form_of_keys(plans, state.view.num_ops);
  if (!state.have_own_priorities) {
    state.upload_to_stay([&](Outcome& of_it) { state.upload_ranks(ranking, of_it); }, outcome);
  }
  const bool is_near = plans.run_of_base != nullptr && plans.base != nullptr && !state.have_own_priorities;
  if (!is_near || !state.base.hold(*plans.run_of_base)) plans.run_of_base = nullptr;
  const auto run_parts = [&] {
    if (state.run_parts(plans, times, peaks, outcome)) return;
    state.keys = {};
    state.run_parts(plans, times, peaks, outcome);
  };
  run_parts();
  if (!outcome.ok() && state.base.drop()) {  // the moments may be in the way
    outcome = {};
    plans.run_of_base = nullptr;
    run_parts();
  }
  state.times.saved /= static_cast<double>(plans.size);
  state.times.total = milliseconds_since(start);
  why = outcome.why();
  return outcome.ok();
}

void CudaBatch::set_layout(const CudaLayout& layout) { state_->layout = layout; }
void CudaBatch::set_capacities(const Capacities& capacities) { state_->capacities = capacities; }
const Capacities& CudaBatch::capacities() const { return state_->capacities; }
const CudaTimes& CudaBatch::last_times() const { return state_->times; }
std::size_t CudaBatch::bytes_per_plan() const { return state_->bytes_per_plan(); }
const std::string& CudaBatch::card() const { return state_->card->name(); }

}  // namespace berth::batch

// SPDX-License-Identifier: Apache-2.0
#include "sim/batch/cuda/cuda_batch.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <vector>

#include "sim/batch/cuda/cuda_kernels.h"
#include "sim/batch/cuda/launch.h"
#include "sim/batch/cuda/sort.h"

namespace berth::batch {
namespace {

// Remembers the first thing that went wrong; what follows is then not tried.
class Outcome {
 public:
  bool ok() const { return why_.empty(); }
  const std::string& why() const { return why_; }
  bool check(cudaError_t code, const char* doing) {
    if (code != cudaSuccess && ok()) {
      why_ = std::string("the GPU failed while ") + doing + ": " + cudaGetErrorString(code);
      cudaGetLastError();  // not the next caller's error
    }
    return ok();
  }
  void refuse(const char* why) {
    if (ok()) why_ = why;
  }

 private:
  std::string why_;
};

// Memory of the card that grows when more is asked for.
template <typename T>
class CardMemory {
 public:
  CardMemory() = default;
  CardMemory(const CardMemory&) = delete;
  CardMemory& operator=(const CardMemory&) = delete;
  ~CardMemory() { cudaFree(data_); }

  bool reserve(std::size_t count, Outcome& outcome) {
    if (count <= size_ || !outcome.ok()) return outcome.ok();
    cudaFree(data_);
    data_ = nullptr;
    size_ = 0;
    if (outcome.check(cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T)), "taking memory")) size_ = count;
    return outcome.ok();
  }
  void upload(const T* from, std::size_t count, Outcome& outcome) {
    if (!reserve(count, outcome) || count == 0) return;
    outcome.check(cudaMemcpy(data_, from, count * sizeof(T), cudaMemcpyHostToDevice), "taking plans");
  }
  T* data() { return data_; }
  [[nodiscard]] std::size_t bytes() const { return size_ * sizeof(T); }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

Capacities first_capacities(const CompactView& problem) {
  const auto at_least = [](std::uint32_t least, std::uint32_t wish) { return std::bit_ceil(std::max(least, wish)); };
  return {at_least(128, problem.num_ops / 96), at_least(1024, problem.num_ops / 24),
          problem.num_sources + at_least(1024, problem.num_ops / 8), 64};
}

// Few plans: a warp for each, since nothing else hides the latency of memory. Many: all lanes of a warp, interleaved.
CudaLayout chosen_layout(std::size_t plans) {
  if (plans <= 1024) return {1, 1, 2};
  if (plans <= 8192) return {1, 2, 2};
  if (plans <= 32768) return {8, 8, 2};
  return {32, 32, 2};
}

// Per op of a plan with ranks of its own: its priority, keys and ops before and behind the sort, two tables.
constexpr std::size_t kBytesToRank = 8 + 2 * (8 + 4) + 2 * 4;
constexpr std::size_t kTiles = 32;  // plans are rounded up to the largest tile

using Clock = std::chrono::steady_clock;
double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

}  // namespace

struct CudaBatch::State {
  CompactView view{};  // of the tables on the card
  std::string card;
  std::vector<void*> tables;
  Capacities capacities{};
  CudaLayout layout;
  CudaTimes times;
  Order order = Order::kReadyTime;
  bool has_own_ranks = false;  // every plan its own
  CardMemory<std::uint32_t> nodes, ready, queued, timeless, delayed, since, first_move, of_node, node_at, tie_end;
  CardMemory<std::uint16_t> counters;
  CardMemory<Time> delay_ends, step_times;
  CardMemory<std::uint64_t> ranks, keys, sorted_keys;
  CardMemory<std::uint32_t> ops, sorted_ops;
  CardMemory<double> priorities;
  CardMemory<std::uint8_t> devices, sort_memory;
  CardMemory<CudaMove> moves;
  CardMemory<std::int64_t> peaks;

  ~State() {
    for (void* table : tables) cudaFree(table);
  }

  void upload_tables(const CompactView& problem, const CompactTables& from, Outcome& outcome) {
    view = problem;
    from.visit(view, [&](auto& pointer, const auto& table) {
      void* there = nullptr;
      const std::size_t bytes = table.size() * sizeof(table[0]);
      if (!outcome.ok() || !outcome.check(cudaMalloc(&there, bytes + 16), "taking memory for the problem")) return;
      tables.push_back(there);
      outcome.check(cudaMemcpy(there, table.data(), bytes, cudaMemcpyHostToDevice), "taking the problem");
      pointer = static_cast<std::remove_reference_t<decltype(pointer)>>(there);
    });
  }

  void upload_ranks(const Ranking& ranking, Outcome& outcome) {
    order = ranking.order();
    if (order == Order::kReadyTime) return;
    of_node.upload(ranking.of_node().data(), ranking.of_node().size(), outcome);
    node_at.upload(ranking.node_at().data(), ranking.node_at().size(), outcome);
    tie_end.upload(ranking.tie_end().data(), ranking.tie_end().size(), outcome);
  }

  // Ranks of every plan by itself. Some may have ties, so all are looked at as if they had.
  void rank_plans(const CudaPlans& plans, Outcome& outcome) {
    const std::size_t total = plans.size * view.num_ops, space = sort_space(plans.size, view.num_ops);
    of_node.reserve(plans.size * view.num_nodes, outcome);
    node_at.reserve(total, outcome);
    tie_end.reserve(total, outcome);
    keys.reserve(total, outcome);
    sorted_keys.reserve(total, outcome);
    ops.reserve(total, outcome);
    sorted_ops.reserve(total, outcome);
    sort_memory.reserve(space, outcome);
    if (!plans.is_on_card) priorities.upload(plans.priorities, total, outcome);
    if (!outcome.ok()) return;
    const auto blocks = static_cast<std::uint32_t>(std::min<std::size_t>((total + 255) / 256, 4096));
    const double* given = plans.is_on_card ? plans.priorities : priorities.data();
    batch::launch(rank_keys, blocks, 256, 0, given, keys.data(), ops.data(), view.num_ops, std::uint64_t{total});
    if (!sort_rows(keys.data(), sorted_keys.data(), ops.data(), sorted_ops.data(), plans.size, view.num_ops,
                   sort_memory.data(), space)) {
      return outcome.refuse("the GPU failed while sorting priorities");
    }
    batch::launch(fill_ranks, blocks, 256, 0, view, sorted_keys.data(), sorted_ops.data(), of_node.data(),
                  node_at.data(), tie_end.data(), std::uint64_t{total});
    outcome.check(cudaGetLastError(), "ranking ops");
  }

  std::size_t rank_words_per_plan() const {
    return order == Order::kReadyTime ? 0 : std::size_t{view.num_devices} * rank_words_of_device(view.num_ops);
  }
  std::size_t bytes_per_plan() const {
    const std::size_t words = view.num_nodes + std::size_t{view.num_devices} * capacities.ready +
                              std::size_t{view.num_queues} * capacities.queued + capacities.timeless;
    return words * 4 + std::size_t{view.num_counters} * 2 + std::size_t{capacities.delayed} * 12 +
           rank_words_per_plan() * 8 + (order == Order::kRankTies ? std::size_t{view.num_nodes} * 4 : 0) +
           (1 + view.num_devices + view.num_pools) * sizeof(Time) + view.num_ops +
           (has_own_ranks ? std::size_t{view.num_ops} * kBytesToRank + std::size_t{view.num_nodes} * 4 : 0);
  }

  // How many of the plans the card has room for at once, with some memory left to others.
  std::size_t most_at_once(std::size_t plans, Outcome& outcome) const {
    std::size_t free = 0, total = 0;
    if (!outcome.check(cudaMemGetInfo(&free, &total), "counting its memory")) return 0;
    const std::size_t room = (free + held()) / 10 * 9 / bytes_per_plan() / kTiles * kTiles;
    if (room == 0) outcome.refuse("the GPU has no memory left for a single tile of plans");
    return std::min(plans, room);
  }
  // Bytes that parts of earlier batches have taken, which the next one may use.
  [[nodiscard]] std::size_t held() const {
    return nodes.bytes() + ready.bytes() + queued.bytes() + timeless.bytes() + delayed.bytes() + since.bytes() +
           of_node.bytes() + node_at.bytes() + tie_end.bytes() + keys.bytes() + sorted_keys.bytes() + ops.bytes() +
           sorted_ops.bytes() + sort_memory.bytes() + priorities.bytes() + counters.bytes() + delay_ends.bytes() +
           step_times.bytes() + ranks.bytes() + devices.bytes() + peaks.bytes();
  }

  void make_room(std::size_t plans, Outcome& outcome) {
    const std::size_t tiled = (plans + kTiles - 1) / kTiles * kTiles;
    nodes.reserve(tiled * view.num_nodes, outcome);
    counters.reserve(tiled * view.num_counters, outcome);
    ready.reserve(tiled * view.num_devices * capacities.ready, outcome);
    queued.reserve(tiled * view.num_queues * capacities.queued, outcome);
    timeless.reserve(tiled * capacities.timeless, outcome);
    delay_ends.reserve(tiled * capacities.delayed, outcome);
    delayed.reserve(tiled * capacities.delayed, outcome);
    step_times.reserve(tiled, outcome);
    peaks.reserve(tiled * (view.num_devices + view.num_pools), outcome);
    ranks.reserve(tiled * rank_words_per_plan(), outcome);
    if (order == Order::kRankTies) since.reserve(tiled * view.num_nodes, outcome);
  }

  BatchMemory memory() {
    return {nodes.data(),      counters.data(), ready.data(), queued.data(), timeless.data(),
            delay_ends.data(), delayed.data(),  ranks.data(), since.data(),  capacities};
  }

  template <std::uint32_t kTile, typename Mask, Order kOrder, bool kLanes>
  void launch(std::uint32_t plans, const CudaLayout& with, Outcome& outcome) {
    const auto kernel = simulate_plans<kTile, Mask, kOrder, kLanes>;
    const std::uint32_t per_block = with.warps_per_block * with.plans_per_warp;
    const std::size_t close = close_tables_bytes(view) + hot_bytes(view) * per_block;
    if (!outcome.check(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(close)),
            "asking for shared memory")) {
      return;
    }
    batch::launch(kernel, (plans + per_block - 1) / per_block, with.warps_per_block * 32, close, view, memory(),
                  Ranks{of_node.data(), node_at.data(), tie_end.data()}, has_own_ranks, plans, with.plans_per_warp,
                  step_times.data(), peaks.data());
    outcome.check(cudaGetLastError(), "starting the simulation");
  }
  template <std::uint32_t kTile, typename Mask, bool kLanes>
  void launch_in_order(std::uint32_t plans, const CudaLayout& with, Outcome& outcome) {
    switch (order) {
      case Order::kReadyTime:
        return launch<kTile, Mask, Order::kReadyTime, kLanes>(plans, with, outcome);
      case Order::kRank:
        return launch<kTile, Mask, Order::kRank, kLanes>(plans, with, outcome);
      case Order::kRankTies:
        return launch<kTile, Mask, Order::kRankTies, kLanes>(plans, with, outcome);
    }
  }

  template <std::uint32_t kTile>
  void run_tiled(const CudaPlans& plans, const std::uint8_t* there, const CudaLayout& with, Outcome& outcome) {
    const auto count = static_cast<std::uint32_t>(plans.size);
    const std::size_t words = (count + kTile - 1) / kTile * kTile * std::size_t{view.num_ops};
    const auto blocks = static_cast<std::uint32_t>(std::min<std::size_t>((words + 255) / 256, 2048));
    batch::launch(place_ops<kTile>, blocks, 256, 0, view, nodes.data(), there, count, plans.base != nullptr);
    if (plans.base != nullptr) {
      batch::launch(move_ops<kTile>, (count + 127) / 128, 128, 0, view, nodes.data(), moves.data(), first_move.data(),
                    count);
    }
    const bool has_lanes = view.num_slots > view.num_devices + view.num_queues;
    if (view.num_slots <= 32 && !has_lanes) {
      launch_in_order<kTile, std::uint32_t, false>(count, with, outcome);
    } else {
      launch_in_order<kTile, std::uint64_t, true>(count, with, outcome);
    }
  }

  [[nodiscard]] CudaLayout layout_for(std::size_t plans) const {
    CudaLayout with = chosen_layout(plans);
    if (layout.tile != 0) with.tile = layout.tile;
    if (layout.plans_per_warp != 0) with.plans_per_warp = layout.plans_per_warp;
    with.warps_per_block = layout.warps_per_block;
    return with;
  }

  // Plans that fit at once; moves are on the card already.
  void run(const CudaPlans& plans, Time* to_times, std::int64_t* to_peaks, Outcome& outcome) {
    make_room(plans.size, outcome);
    const auto start = Clock::now();
    if (plans.base != nullptr) {
      devices.upload(plans.base, view.num_ops, outcome);
      first_move.upload(plans.first_move, plans.size + 1, outcome);
    } else if (!plans.is_on_card) {
      devices.upload(plans.devices, plans.size * view.num_ops, outcome);
    }
    if (has_own_ranks && outcome.ok()) rank_plans(plans, outcome);
    times.upload += milliseconds_since(start);
    if (outcome.ok() && order != Order::kReadyTime) {
      const std::size_t tiled = (plans.size + kTiles - 1) / kTiles * kTiles;
      outcome.check(cudaMemset(ranks.data(), 0, tiled * rank_words_per_plan() * 8), "clearing its memory");
    }
    if (!outcome.ok()) return;
    const std::uint8_t* there = plans.is_on_card ? plans.devices : devices.data();
    const CudaLayout with = layout_for(plans.size);
    if (with.tile == 1) run_tiled<1>(plans, there, with, outcome);
    if (with.tile == 8) run_tiled<8>(plans, there, with, outcome);
    if (with.tile == 32) run_tiled<32>(plans, there, with, outcome);
    if (!outcome.ok()) return;
    const std::size_t places = view.num_devices + view.num_pools;
    outcome.check(cudaMemcpy(to_times, step_times.data(), plans.size * sizeof(Time), cudaMemcpyDeviceToHost),
                  "simulating");
    outcome.check(cudaMemcpy(to_peaks, peaks.data(), plans.size * places * 8, cudaMemcpyDeviceToHost), "simulating");
  }
};

CudaBatch::CudaBatch(std::unique_ptr<State> state) : state_(std::move(state)) {}
CudaBatch::~CudaBatch() = default;

std::unique_ptr<CudaBatch> CudaBatch::make(const CompactView& problem, const CompactTables& tables, std::string& why) {
  Outcome outcome;
  int cards = 0;
  if (!outcome.check(cudaGetDeviceCount(&cards), "being looked for") || cards == 0) {
    why = "no CUDA device answers";
    return nullptr;
  }
  auto state = std::make_unique<State>();
  cudaDeviceProp properties{};
  if (outcome.check(cudaGetDeviceProperties(&properties, 0), "telling its name")) state->card = properties.name;
  state->upload_tables(problem, tables, outcome);
  state->capacities = first_capacities(problem);
  why = outcome.why();
  return outcome.ok() ? std::unique_ptr<CudaBatch>(new CudaBatch(std::move(state))) : nullptr;
}

bool CudaBatch::run(const CudaPlans& plans, const Ranking& ranking, Time* times, std::int64_t* peaks,
                    std::string& why) {
  State& state = *state_;
  Outcome outcome;
  const auto start = Clock::now();
  state.times = {};
  state.has_own_ranks = plans.priorities != nullptr;
  if (state.has_own_ranks) {
    state.order = Order::kRankTies;
  } else {
    state.upload_ranks(ranking, outcome);
  }
  if (plans.base != nullptr) {
    state.moves.upload(plans.moves, plans.first_move[plans.size], outcome);
  }
  const std::size_t at_once = outcome.ok() ? state.most_at_once(plans.size, outcome) : 0;
  const std::size_t places = state.view.num_devices + state.view.num_pools;
  for (std::size_t done = 0; done < plans.size && outcome.ok(); done += at_once) {
    CudaPlans part = plans;
    part.size = std::min(at_once, plans.size - done);
    if (plans.base != nullptr) {
      part.first_move += done;
    } else {
      part.devices += done * state.view.num_ops;
    }
    if (plans.priorities != nullptr) part.priorities += done * state.view.num_ops;
    state.run(part, times + done, peaks + done * places, outcome);
  }
  state.times.total = milliseconds_since(start);
  why = outcome.why();
  return outcome.ok();
}

void CudaBatch::set_layout(const CudaLayout& layout) { state_->layout = layout; }
void CudaBatch::set_capacities(const Capacities& capacities) { state_->capacities = capacities; }
const Capacities& CudaBatch::capacities() const { return state_->capacities; }
const CudaTimes& CudaBatch::last_times() const { return state_->times; }
std::size_t CudaBatch::bytes_per_plan() const { return state_->bytes_per_plan(); }
const std::string& CudaBatch::card() const { return state_->card; }

}  // namespace berth::batch

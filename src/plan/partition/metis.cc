// SPDX-License-Identifier: Apache-2.0
// The only file that knows the library. One call at a time: METIS 5 draws its random numbers from the C library's
// rand(), which it seeds in every call. Same input, same cut, unless another thread of the process calls rand()
// meanwhile.
#include "plan/partition/metis.h"

#include <metis.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

#include "plan/partition/best_cut.h"
#include "plan/search/placement.h"

namespace berth {
namespace {

static_assert(sizeof(idx_t) == sizeof(std::int32_t), "built against METIS with 64-bit indices");

// The k-way method is asked only where every part gets several vertices: METIS prints when a part comes out empty.
constexpr std::size_t kVerticesPerPart = 32;

std::mutex& metis_mutex() {
  static std::mutex mutex;
  return mutex;
}

// The graph as METIS takes it: plain arrays, `constraints` weights per vertex.
struct Piece {
  std::vector<std::uint32_t> vertex;  // of the whole graph
  std::vector<idx_t> begin{0}, neighbour, edge_weight, weights;
};

struct Target {
  std::vector<real_t> shares;  // [part * constraints + constraint]
  std::vector<real_t> tolerances;
  bool all_at_once = false;
};

Result<std::vector<idx_t>> call_metis(Piece& piece, Target target, std::int32_t seed) {
  auto vertices = static_cast<idx_t>(piece.vertex.size());
  auto constraints = static_cast<idx_t>(target.tolerances.size());
  auto parts = static_cast<idx_t>(target.shares.size() / target.tolerances.size());
  idx_t options[METIS_NOPTIONS], cut = 0;
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = seed;
  std::vector<idx_t> part_of(piece.vertex.size(), 0);
  const std::lock_guard lock(metis_mutex());
  const auto method = target.all_at_once ? METIS_PartGraphKway : METIS_PartGraphRecursive;
  const int status = method(&vertices, &constraints, piece.begin.data(), piece.neighbour.data(), piece.weights.data(),
                            nullptr, piece.edge_weight.data(), &parts, target.shares.data(), target.tolerances.data(),
                            options, &cut, part_of.data());
  if (status != METIS_OK) {
    return bad_input("METIS gave up on a graph of {} groups (status {}); another --seed or planner may do", vertices,
                     status);
  }
  return part_of;
}

class MetisCut {
 public:
  MetisCut(const CutGraph& graph, const PartShares& shares, const MetisOptions& options)
      : graph_(graph), shares_(shares), options_(options), part_of_(graph.size(), 0), place_(graph.size()) {}

  Result<std::vector<std::int32_t>> run() {
    std::vector<std::uint32_t> all(graph_.size());
    std::iota(all.begin(), all.end(), 0U);
    if (options_.all_parts_at_once && is_divisible()) {
      BERTH_RETURN_IF_ERROR(cut_at_once(std::move(all)));
    } else {
      BERTH_RETURN_IF_ERROR(bisect(std::move(all), 0, shares_.work.size()));
    }
    return std::move(part_of_);
  }

 private:
  [[nodiscard]] bool counts_memory() const { return options_.memory_imbalance >= 0.0; }

  // Whether every part can be filled by several vertices: enough of them, and none heavier than half of a part.
  [[nodiscard]] bool is_divisible() const {
    const auto total = std::accumulate(graph_.work.begin(), graph_.work.end(), std::int64_t{0});
    const double least = std::ranges::min(shares_.work) * static_cast<double>(total);
    return graph_.size() >= kVerticesPerPart * shares_.work.size() &&
           static_cast<double>(std::ranges::max(graph_.work)) <= least / 2;
  }

  Status cut_at_once(std::vector<std::uint32_t> all) {
    Piece piece = piece_of(std::move(all));
    Target target{{}, tolerances(1.0), true};
    for (std::size_t part = 0; part < shares_.work.size(); ++part)
      add_share(target, part, part + 1, 0, shares_.work.size());
    BERTH_TRY(const std::vector<idx_t> parts, call_metis(piece, std::move(target), options_.seed));
    part_of_ = parts;
    return {};
  }

  // Gives the vertices to parts first .. last - 1.
  Status bisect(std::vector<std::uint32_t> vertices, std::size_t first, std::size_t last) {
    if (last - first == 1 || vertices.size() < 2) {
      const auto begin = shares_.work.begin();
      const auto largest =
          std::max_element(begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(last));
      for (const std::uint32_t vertex : vertices) part_of_[vertex] = static_cast<std::int32_t>(largest - begin);
      return {};
    }
    const std::size_t middle = first + (last - first) / 2;
    Target target{{}, tolerances(std::ceil(std::log2(static_cast<double>(shares_.work.size())))), false};
    add_share(target, first, middle, first, last);
    add_share(target, middle, last, first, last);
    Piece piece = piece_of(std::move(vertices));
    BERTH_TRY(const std::vector<idx_t> side, call_metis(piece, std::move(target), options_.seed));
    std::vector<std::uint32_t> left, right;
    for (std::size_t i = 0; i < side.size(); ++i) (side[i] == 0 ? left : right).push_back(piece.vertex[i]);
    BERTH_RETURN_IF_ERROR(bisect(std::move(left), first, middle));
    return bisect(std::move(right), middle, last);
  }

  // Tolerances multiply from one bisection to the next.
  [[nodiscard]] std::vector<real_t> tolerances(double levels) const {
    std::vector<real_t> all{static_cast<real_t>(std::pow(1.0 + options_.imbalance, 1.0 / levels))};
    if (counts_memory()) all.push_back(static_cast<real_t>(std::pow(1.0 + options_.memory_imbalance, 1.0 / levels)));
    return all;
  }

  // Share of parts [first, last) in parts [from, to).
  void add_share(Target& target, std::size_t first, std::size_t last, std::size_t from, std::size_t to) const {
    const auto sum = [](const std::vector<double>& all, std::size_t a, std::size_t b) {
      return std::accumulate(all.begin() + static_cast<std::ptrdiff_t>(a), all.begin() + static_cast<std::ptrdiff_t>(b),
                             0.0);
    };
    target.shares.push_back(static_cast<real_t>(sum(shares_.work, first, last) / sum(shares_.work, from, to)));
    if (!counts_memory()) return;
    target.shares.push_back(static_cast<real_t>(sum(shares_.memory, first, last) / sum(shares_.memory, from, to)));
  }

  // The part of the graph that these vertices span.
  Piece piece_of(std::vector<std::uint32_t> vertices) {
    constexpr std::int32_t kOutside = -1;
    std::ranges::fill(place_, kOutside);
    for (std::size_t i = 0; i < vertices.size(); ++i) place_[vertices[i]] = static_cast<std::int32_t>(i);
    Piece piece;
    for (const std::uint32_t vertex : vertices) {
      for (auto i = static_cast<std::size_t>(graph_.begin[vertex]);
           i < static_cast<std::size_t>(graph_.begin[vertex + 1]); ++i) {
        const std::int32_t other = place_[static_cast<std::size_t>(graph_.neighbour[i])];
        if (other == kOutside) continue;
        piece.neighbour.push_back(other);
        piece.edge_weight.push_back(graph_.edge_weight[i]);
      }
      piece.begin.push_back(static_cast<idx_t>(piece.neighbour.size()));
      piece.weights.push_back(graph_.work[vertex]);
      if (counts_memory()) piece.weights.push_back(graph_.memory[vertex]);
    }
    piece.vertex = std::move(vertices);
    return piece;
  }

  const CutGraph& graph_;
  const PartShares& shares_;
  MetisOptions options_;
  std::vector<std::int32_t> part_of_;
  std::vector<std::int32_t> place_;  // of every vertex in the piece at hand
};

constexpr double kLeastMemoryImbalance = 0.05;
constexpr double kMostMemoryImbalance = 20.0;
constexpr double kLeastShare = 1e-3;  // METIS takes no part that wants nothing

void make_shares(std::vector<double>& amounts) {
  const double most = std::ranges::max(amounts);
  for (double& amount : amounts) amount = std::max(amount, most * kLeastShare);
  const double total = std::accumulate(amounts.begin(), amounts.end(), 0.0);
  for (double& amount : amounts) amount = total > 0.0 ? amount / total : 1.0 / static_cast<double>(amounts.size());
}

// Devices of one pool have equal parts of it.
std::vector<double> memory_of_targets(const Problem& problem, const std::vector<DeviceId>& targets) {
  const Machine& machine = problem.machine();
  std::vector<double> memory;
  for (const DeviceId device : targets) {
    const int pool = machine.pool_of(device);
    const auto sharing = std::ranges::count_if(
        targets, [&](DeviceId other) { return other == device || (pool >= 0 && machine.pool_of(other) == pool); });
    memory.push_back(static_cast<double>(problem.capacity(device)) / static_cast<double>(sharing));
  }
  return memory;
}

// How far above its share a part may be before it is full.
double memory_imbalance(const CutGraph& graph, double capacity) {
  if (graph.memory_bytes <= 0.0) return kMostMemoryImbalance;
  return std::clamp(capacity / graph.memory_bytes - 1.0, kLeastMemoryImbalance, kMostMemoryImbalance);
}

}  // namespace

Result<std::vector<std::int32_t>> cut_with_metis(const CutGraph& graph, const PartShares& shares,
                                                 const MetisOptions& options) {
  return MetisCut(graph, shares, options).run();
}

Result<Plan> MetisPlanner::plan(Search& search) {
  const std::vector<DeviceId> targets = worker_devices(search.problem());
  PartShares shares{target_speeds(search.problem(), targets), memory_of_targets(search.problem(), targets)};
  const double capacity = std::accumulate(shares.memory.begin(), shares.memory.end(), 0.0);
  make_shares(shares.work);
  make_shares(shares.memory);
  const auto seed = static_cast<std::int32_t>(search.budget().seed % 1'000'000'007);
  std::vector<CutMethod> methods;
  for (const bool with_memory : {true, false}) {
    for (const bool at_once : {false, true}) {
      for (const double imbalance : {0.05, 0.01, 0.2, 0.5}) {
        methods.push_back({fmt::format("{:.0f} % imbalance, {}{}", 100 * imbalance, at_once ? "k-way" : "bisection",
                                       with_memory ? ", memory shared out" : ""),
                           [=, &shares](const CutGraph& graph) {
                             const double memory = with_memory ? memory_imbalance(graph, capacity) : -1.0;
                             return cut_with_metis(graph, shares, {imbalance, memory, at_once, seed});
                           }});
      }
    }
  }
  return best_cut(search, targets, methods, "metis");
}

}  // namespace berth

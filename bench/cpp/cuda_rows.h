// SPDX-License-Identifier: Apache-2.0
// Batches of plans for cuda_bench, from a few words each.
#pragma once

#include <atomic>
#include <bit>
#include <cmath>
#include <sstream>
#include <thread>
#include <vector>

#include "base/rng.h"
#include "sim/batch/cuda/cuda_batch.h"
#include "workloads.h"

namespace berth::bench {

// "plans=16384,moved=50,ranks=own,near=1,checked=100": words may be left out.
struct Row {
  std::uint32_t plans = 1024;
  std::uint32_t moved = 0;               // at most so many groups of the base are elsewhere; 0: every group anywhere
  std::uint32_t near = 0;                // 1: plans begin at moments of the base's run
  std::uint32_t checked = 0;             // plans that are compared with the processor
  std::uint32_t repeats = 3;             // the fastest counts
  std::uint32_t tile = 0, per_warp = 0;  // layout of threads; 0: chosen
  // For all plans: none, shared (all different), ties; of each plan: own, whole (numbers).
  std::string ranks = "none";

  [[nodiscard]] bool has_own() const { return ranks == "own" || ranks == "whole"; }
};

inline Row parse_row(const std::string& text) {
  Row row;
  const std::pair<const char*, std::uint32_t*> numbers[] = {
      {"plans", &row.plans},     {"moved", &row.moved}, {"near", &row.near},        {"checked", &row.checked},
      {"repeats", &row.repeats}, {"tile", &row.tile},   {"per_warp", &row.per_warp}};
  std::stringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals), value = equals == word.npos ? "" : word.substr(equals + 1);
    bool is_known = name == "ranks";
    if (is_known) row.ranks = value;
    for (const auto& [known, to] : numbers) {
      if (name != known) continue;
      *to = static_cast<std::uint32_t>(std::strtoul(value.c_str(), nullptr, 10));
      is_known = true;
    }
    if (is_known) continue;
    std::fprintf(stderr, "no word '%s' in a row\n", name.c_str());
    std::exit(2);
  }
  return row;
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

inline std::uint8_t random_device(DeviceSet allowed, Rng& rng) {
  for (auto skip = rng.below(static_cast<std::uint64_t>(std::popcount(allowed))); skip > 0; --skip) {
    allowed &= allowed - 1;
  }
  return static_cast<std::uint8_t>(std::countr_zero(allowed));
}

// The plans of a row, and their priorities near the order of ids.
class RowBatch {
 public:
  RowBatch(const Problem& task, const Plan& base, const Row& row) : row_(row) {
    for (const DeviceId device : base.device_of) base_.push_back(static_cast<std::uint8_t>(device));
    Rng rng(row.plans);
    for (std::uint32_t i = 0; i < row.plans; ++i) row.moved == 0 ? add_anywhere(task, rng) : add_moves(task, rng);
    if (row.ranks == "none") return;
    const std::size_t rows = row.has_own() ? row.plans : 1;
    priorities_.resize(rows * base_.size());
    for_all(rows, [&](std::size_t i) { fill_priorities(i); });
  }

  [[nodiscard]] const std::vector<std::uint8_t>& base() const { return base_; }
  [[nodiscard]] std::vector<std::uint8_t> devices(std::size_t i) const {
    if (!devices_.empty()) return slice(devices_, i);
    std::vector<std::uint8_t> devices = base_;
    for (std::uint32_t k = first_move_[i]; k < first_move_[i + 1]; ++k) {
      devices[moves_[k].op] = static_cast<std::uint8_t>(moves_[k].device);
    }
    return devices;
  }
  [[nodiscard]] std::vector<double> priorities(std::size_t i) const {
    return row_.has_own() ? slice(priorities_, i) : priorities_;
  }
  [[nodiscard]] std::span<const double> shared_priorities() const {
    return row_.has_own() ? std::span<const double>() : priorities_;
  }
  [[nodiscard]] batch::CudaPlans for_card() const {
    batch::CudaPlans there{.size = row_.plans};
    if (row_.moved == 0) {
      there.devices = devices_.data();
    } else {
      there.base = base_.data();
      there.first_move = first_move_.data();
      there.moves = moves_.data();
    }
    if (row_.has_own()) there.priorities = priorities_.data();
    return there;
  }

 private:
  template <typename T>
  [[nodiscard]] std::vector<T> slice(const std::vector<T>& all, std::size_t i) const {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(i * base_.size());
    return {first, first + static_cast<std::ptrdiff_t>(base_.size())};
  }
  void add_anywhere(const Problem& task, Rng& rng) {
    const std::size_t first = devices_.size();
    devices_.resize(first + base_.size());
    for (std::uint32_t unit = 0; unit < task.num_units(); ++unit) {
      const std::uint8_t device = random_device(task.unit_allowed(unit), rng);
      for (const OpId op : task.unit_ops(unit)) devices_[first + index(op)] = device;
    }
  }
  void add_moves(const Problem& task, Rng& rng) {
    for (std::uint64_t left = 1 + rng.below(row_.moved); left > 0; --left) {
      const auto unit = static_cast<std::uint32_t>(rng.below(task.num_units()));
      const std::uint32_t device = random_device(task.unit_allowed(unit), rng);
      for (const OpId op : task.unit_ops(unit)) moves_.push_back({static_cast<std::uint32_t>(op), device});
    }
    first_move_.push_back(static_cast<std::uint32_t>(moves_.size()));
  }
  void fill_priorities(std::size_t i) {
    Rng rng(9 + i);
    double* priority = priorities_.data() + i * base_.size();
    for (std::size_t op = 0; op < base_.size(); ++op) {
      const auto noise = static_cast<double>(op + rng.below(200));
      if (row_.ranks == "shared" || row_.ranks == "own") priority[op] = -noise - 1e-7 * static_cast<double>(op);
      if (row_.ranks == "ties") priority[op] = -std::floor(noise / 50);
      if (row_.ranks == "whole") priority[op] = std::max(0.0, 65000 - noise);
    }
  }

  const Row& row_;
  std::vector<std::uint8_t> base_, devices_;
  std::vector<std::uint32_t> first_move_{0};
  std::vector<batch::CudaMove> moves_;
  std::vector<double> priorities_;
};

}  // namespace berth::bench

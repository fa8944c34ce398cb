// SPDX-License-Identifier: Apache-2.0
// SequentialEngine: the simulator of machines without overlap (docs/simulator.md, rule 8). One region of ops runs after
// the other, so there is no event queue: times are sums, and memory is worked out from lifetimes afterwards.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "problem/problem.h"
#include "sim/engine/flat_graph.h"
#include "sim/engine/lifetimes.h"
#include "sim/sequential/regions.h"
#include "sim/timeline.h"

namespace berth {

class SequentialEngine {
 public:
  explicit SequentialEngine(const Problem& problem);

  // Valid until the next run.
  const Score& run(const Plan& plan);
  // Also when every op was ready, which is when it started, and ended; those of a fused group have its times.
  const Score& run_with_times(const Plan& plan, std::vector<Picoseconds>& ready, std::vector<Picoseconds>& end);
  Timeline run_with_timeline(const Plan& plan);
  [[nodiscard]] std::uint64_t events() const { return events_; }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU;

  // A copy of a tensor on a device that did not make it.
  struct Received {
    std::uint32_t next;  // copy of the same tensor on another device
    std::uint32_t storage;
    std::uint8_t device;
  };

  void reset(const Plan& plan, bool fuses);
  void place_given();
  void run_region(std::span<const std::uint32_t> nodes);
  void receive_inputs(std::span<const std::uint32_t> nodes);
  void transfer(std::uint32_t tensor, std::uint8_t to);
  void run_node(std::uint32_t node);
  [[nodiscard]] const Received* received_on(std::uint32_t tensor, std::uint8_t device) const;
  [[nodiscard]] std::uint32_t storage_on(std::uint32_t tensor, std::uint8_t device) const;
  void use_inputs(std::uint32_t node);
  void finish();

  const Problem& problem_;
  const FlatGraph flat_;
  RegionFinder finder_;             // of flat_
  std::optional<FlatGraph> fused_;  // of the plan, if it fuses
  std::optional<RegionFinder> fused_finder_;
  const FlatGraph* graph_ = nullptr;  // the ones in use
  RegionFinder* regions_ = nullptr;

  Picoseconds now_ = 0;
  std::vector<std::uint8_t> device_;           // per node
  std::vector<Picoseconds> start_, end_;       // per node
  std::vector<std::uint32_t> home_storage_;    // per tensor; kNone: resident
  std::vector<std::uint32_t> first_received_;  // per tensor
  std::vector<Received> received_;
  std::vector<std::uint32_t> wanted_;  // tensors that a region lacks
  Lifetimes lifetimes_;
  std::vector<TransferEvent>* transfers_ = nullptr;  // recorded here, if at all
  std::uint64_t events_ = 0;
  Score score_;
};

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
// Many plans of one problem as flat arrays, and what simulations say of them: the one form in which batches of plans
// reach an evaluator, whatever runs behind it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"
#include "problem/plan.h"
#include "sim/timeline.h"

namespace berth {

// One op of one plan that is elsewhere than in the base.
struct BatchMove {
  std::uint32_t op;
  std::uint32_t device;
};

// Views of plans that fuse nothing: whoever made the arrays keeps them. Either all devices of every plan, or a base and
// what each plan moves.
struct PlanBatch {
  std::size_t size = 0;
  std::span<const std::uint8_t> devices = {};      // [plan * ops + op]
  std::span<const std::uint8_t> base = {};         // [op] ...
  std::span<const std::uint32_t> first_move = {};  // [plan], and one more: moves of a plan begin here ...
  std::span<const BatchMove> moves = {};           // ... later ones win
  std::span<const double> priorities = {};         // none, [op] for all plans, or [plan * ops + op]
  bool is_on_card = false;                         // `devices` and own priorities are memory of a GPU

  [[nodiscard]] std::size_t num_ops() const;
  [[nodiscard]] bool has_own_priorities() const { return priorities.size() > num_ops(); }  // each plan
  // `count` plans from `first` on.
  [[nodiscard]] PlanBatch part(std::size_t first, std::size_t count) const;
  // Plan i, into one whose memory is used again.
  void read(std::size_t i, Plan& plan) const;
};

// Plans that are gathered for a batch. Its memory is used again after clear().
class GatheredPlans {
 public:
  GatheredPlans() = default;
  explicit GatheredPlans(std::span<const Plan> plans) {
    for (const Plan& plan : plans) add(plan);
  }
  // Fusions are not for batches.
  void add(const Plan& plan);
  void clear();
  [[nodiscard]] std::size_t size() const { return size_; }
  // Valid until the next change.
  [[nodiscard]] PlanBatch batch() const { return {.size = size_, .devices = devices_, .priorities = priorities_}; }

 private:
  std::size_t size_ = 0;
  std::vector<std::uint8_t> devices_;
  std::vector<double> priorities_;
};

struct BatchScores {
  std::size_t num_places = 0;          // devices, then pools
  std::vector<Picoseconds> step_time;  // [plan]
  std::vector<Bytes> over;             // [plan]: bytes that the worst device or pool lacks; 0: the plan fits
  std::vector<Bytes> peaks;            // [plan * num_places + place]

  [[nodiscard]] std::size_t size() const { return step_time.size(); }
  void resize(std::size_t plans);
  // What a run of plan i has said.
  void set(std::size_t i, const Score& score);
  void append(const BatchScores& others);
  [[nodiscard]] bool feasible(std::size_t plan) const { return over[plan] == 0; }
  // As better() says of two scores (sim/timeline.h).
  [[nodiscard]] bool better(std::size_t a, std::size_t b) const {
    return over[a] != over[b] ? over[a] < over[b] : step_time[a] < step_time[b];
  }
};

enum class SimulateOn : std::uint8_t { kCpu, kCuda, kAuto };  // auto: large batches on a GPU, if one answers

// What ran where.
struct BatchUse {
  std::uint64_t on_cpu = 0, on_gpu = 0;
  // Of those on the processor, though there is a GPU:
  std::uint64_t outgrown = 0;  // plans that outgrew their memory there
  std::uint64_t too_few = 0;   // plans of batches that are not worth the way
  std::uint64_t refused = 0;   // plans that it cannot do; the note says why
  std::string card;            // name of the GPU; empty: none is used
  std::string note;            // why none is used though one was asked for, why it was given up, or what it refused
};

}  // namespace berth

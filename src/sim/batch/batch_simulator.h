// SPDX-License-Identifier: Apache-2.0
// Many plans of one problem at once, as flat arrays: step times, feasibility and peaks, on all cores or on a GPU. The
// scores are those of Simulator, to the last bit, whatever ran them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "problem/problem.h"

namespace berth {

// One op of one plan that is elsewhere than in the base.
struct BatchMove {
  std::uint32_t op;
  std::uint32_t device;
};

// Views of plans: whoever made the arrays keeps them. Either all devices of every plan, or a base and what each plan
// moves.
struct PlanBatch {
  std::size_t size = 0;
  std::span<const std::uint8_t> devices = {};      // [plan * ops + op]
  std::span<const std::uint8_t> base = {};         // [op] ...
  std::span<const std::uint32_t> first_move = {};  // [plan], and one more: moves of a plan begin here ...
  std::span<const BatchMove> moves = {};           // ... later ones win
  std::span<const double> priorities = {};         // none, [op] for all plans, or [plan * ops + op]
};

struct BatchScores {
  std::size_t num_places = 0;          // devices, then pools
  std::vector<Picoseconds> step_time;  // [plan]
  std::vector<Bytes> over;             // [plan]: bytes that the worst device or pool lacks; 0: the plan fits
  std::vector<Bytes> peaks;            // [plan * num_places + place]

  [[nodiscard]] std::size_t size() const { return step_time.size(); }
  [[nodiscard]] bool feasible(std::size_t plan) const { return over[plan] == 0; }
  // As better() says of two scores (sim/timeline.h).
  [[nodiscard]] bool better(std::size_t a, std::size_t b) const {
    return over[a] != over[b] ? over[a] < over[b] : step_time[a] < step_time[b];
  }
};

enum class SimulateOn { kCpu, kCuda, kAuto };  // auto: a GPU if one answers

// What ran where since the simulator was made.
struct BatchUse {
  std::uint64_t on_cpu = 0, on_gpu = 0;
  std::uint64_t outgrown = 0;  // of those on the processor: plans that outgrew their memory on the GPU
  std::string card;            // name of the GPU; empty: none is used
  std::string note;            // why none is used though one was asked for, or why it was given up
};

class GpuSimulator;

class BatchSimulator {
 public:
  // Fails only where a GPU is demanded and none can be used. The problem must outlive it.
  static Result<BatchSimulator> make(const Problem& problem, int threads, SimulateOn on = SimulateOn::kCpu);
  ~BatchSimulator();
  BatchSimulator(BatchSimulator&&) noexcept;
  BatchSimulator& operator=(BatchSimulator&&) noexcept;

  // Every plan must pass check_batch(). Valid until the next call; nothing is allocated once the first batch of a size
  // is done. A GPU that is lost on the way ends in a note, and the processor goes on.
  const BatchScores& evaluate(const PlanBatch& plans);
  [[nodiscard]] const BatchUse& use() const;

 private:
  struct State;
  explicit BatchSimulator(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Nothing if the arrays have the right sizes and every plan passes verify(), else why not and which plan.
std::optional<Error> check_batch(const Problem& problem, const PlanBatch& plans);

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
// The GPU behind BatchSimulator. What the loop there cannot count, and plans that outgrow their memory, are left to the
// processor.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "sim/batch/batch_simulator.h"

namespace berth {

class GpuSimulator {
 public:
  virtual ~GpuSimulator() = default;
  // Why a batch is none for it, if so: then run() may not be asked.
  [[nodiscard]] virtual std::optional<std::string> refusal(const PlanBatch& plans) const = 0;
  // Fills the scores of all plans but those that it adds to `left`. Fails if the card did.
  virtual std::optional<Error> run(const PlanBatch& plans, BatchScores& scores, std::vector<std::uint32_t>& left) = 0;
  [[nodiscard]] virtual const std::string& card() const = 0;

  // Of plans that are on the card: the first that is not legal, limits aside, or how many there are if all are.
  virtual Result<std::size_t> first_illegal(const PlanBatch& plans) = 0;
  // Plan i of those.
  virtual Result<Plan> bring(const PlanBatch& plans, std::size_t i) = 0;
};

// Fails where berth was built without CUDA, no card answers, or the problem is none for it; says which. So many threads
// help with uploads.
Result<std::unique_ptr<GpuSimulator>> make_gpu_simulator(const Problem& problem, int threads);

}  // namespace berth

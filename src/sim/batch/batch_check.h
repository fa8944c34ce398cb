// SPDX-License-Identifier: Apache-2.0
// Whether the plans of a batch are legal: what verify() says of each, found fast enough to be asked of every batch.
// Most ops may be anywhere and share their device with nobody, so a plan is looked through for its largest device, and
// then the few ops are looked up that are not so free.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "problem/problem.h"
#include "sim/batch/plan_batch.h"

namespace berth {

class ThreadPool;

class BatchChecker {
 public:
  explicit BatchChecker(const Problem& problem);  // which must outlive it

  // Nothing if the arrays have the right sizes and every plan passes verify(), else why not and which plan: the first
  // one of the batch is called `first_number`.
  [[nodiscard]] std::optional<Error> check(const PlanBatch& plans, ThreadPool& pool,
                                           std::size_t first_number = 0) const;

  struct Bound {  // may not be everywhere
    std::uint32_t op;
    DeviceSet allowed;
  };
  struct Pair {  // must be together
    std::uint32_t first, other;
  };
  [[nodiscard]] std::span<const Bound> bound() const { return bound_; }
  [[nodiscard]] std::span<const Pair> together() const { return together_; }
  [[nodiscard]] bool has_limits() const { return has_limits_; }

 private:
  struct Scratch {  // of a thread
    std::vector<std::uint8_t> row;
    Plan plan;
  };

  [[nodiscard]] bool may_stand(const PlanBatch& plans, std::size_t i, Scratch& scratch) const;
  [[nodiscard]] bool are_legal(std::span<const std::uint8_t> device_of) const;
  [[nodiscard]] Error what_is_wrong(const PlanBatch& plans, std::size_t i) const;

  const Problem& problem_;
  std::vector<Bound> bound_;  // the first op of every unit that is bound
  std::vector<Pair> together_;
  bool has_limits_;  // which one by one no op breaks
};

// The same on this thread alone.
std::optional<Error> check_batch(const Problem& problem, const PlanBatch& plans);

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
// SharedEvaluator: what one plan is worth for several problems with the same ops and devices. Every problem has a
// yardstick, the time of the best plan known for it alone; what counts is how much longer the plan takes than that
// (ratio). The joint score has
//
//   step time   (0.9 * worst ratio + 0.1 * mean ratio) * the leader's yardstick
//   memory      the most that any problem takes, device by device; feasible only if it is in every problem
//   the rest    of the leader: the problem with the longest yardstick
//
// so that searches which know nothing of several problems minimise the worst ratio and do not give up the others.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sim/evaluator.h"

namespace berth {

class SharedEvaluator final : public Evaluator {
 public:
  // The problems must outlive it; one yardstick each, and at least one.
  SharedEvaluator(std::span<const Problem> problems, std::span<const Picoseconds> yardsticks);

  using Evaluator::evaluate;
  const Score& evaluate(const Plan& plan) override;
  // The problem that refused the last plan is asked first.
  const Score* evaluate_bounded(const Plan& plan, Picoseconds cutoff) override;
  void rebase(const Plan& plan) override;

  // Index of the problem with the longest yardstick.
  static std::size_t leader_of(std::span<const Picoseconds> yardsticks);

 private:
  const Score& join();
  [[nodiscard]] Picoseconds cutoff_of(std::size_t problem, Picoseconds cutoff) const;

  std::vector<std::unique_ptr<Evaluator>> evaluators_;
  std::vector<double> yardsticks_;  // picoseconds, 1 at least
  std::size_t leader_;
  std::vector<const Score*> scores_;  // of the plan at hand, per problem
  std::vector<std::size_t> order_;    // in which the problems are asked
  Score joint_;
};

}  // namespace berth

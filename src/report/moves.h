// SPDX-License-Identifier: Apache-2.0
// Mover: what a plan would be worth if some ops were elsewhere. Nothing is estimated: every answer is a simulation of
// the whole step with the ops moved, and everything that must be with them. Weights that nothing else reads go along:
// left behind they would be sent in every step, and nobody would place them so.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "problem/problem.h"
#include "problem/weight_families.h"
#include "sim/evaluator.h"

namespace berth::report {

struct Moved {
  Plan plan;
  Score score;
};

class Mover {
 public:
  Mover(const Problem& problem, const Plan& plan);  // both must outlive it

  [[nodiscard]] const Score& now() const { return now_; }
  // The ops, those that constraints keep with them, and those fused with any of them; ascending.
  [[nodiscard]] std::vector<OpId> with_companions(std::span<const OpId> ops) const;
  // The weights, and views of them, that go along: only these ops and their companions read them. Ascending.
  [[nodiscard]] std::vector<OpId> weights_along(std::span<const OpId> ops) const;
  // The plan with these ops, their companions, and those of the weights along that may be there on the device; an error
  // if that breaks a constraint.
  [[nodiscard]] Result<Plan> placed(std::span<const OpId> ops, DeviceId to) const;
  [[nodiscard]] Result<Moved> move(std::span<const OpId> ops, DeviceId to);

 private:
  [[nodiscard]] std::vector<std::size_t> families_along(std::span<const OpId> moved) const;

  const Problem& problem_;
  const Plan& plan_;
  const WeightFamilies families_;
  std::vector<std::vector<std::size_t>> families_read_;  // by each op
  std::vector<int> group_of_;                            // fusion group per op, -1 if it is in none
  std::unique_ptr<Evaluator> evaluator_;
  Score now_;
};

}  // namespace berth::report

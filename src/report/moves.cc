// SPDX-License-Identifier: Apache-2.0
#include "report/moves.h"

#include <algorithm>
#include <limits>

#include "machine/device_set.h"

namespace berth::report {

Mover::Mover(const Problem& problem, const Plan& plan)
    : problem_(problem),
      plan_(plan),
      group_of_(problem.graph().num_ops(), -1),
      evaluator_(make_simulated_evaluator(problem, 1)),
      now_(evaluator_->evaluate(plan)) {
  for (std::size_t group = 0; group < plan.fusions.size(); ++group) {
    for (const OpId op : plan.fusions[group]) group_of_[index(op)] = static_cast<int>(group);
  }
  evaluator_->rebase(plan);
}

std::vector<OpId> Mover::with_companions(std::span<const OpId> ops) const {
  std::vector<OpId> all;
  std::vector<bool> seen(problem_.graph().num_ops(), false);
  const auto add = [&](OpId op) {
    if (seen[index(op)]) return;
    seen[index(op)] = true;
    all.push_back(op);
  };
  for (const OpId op : ops) add(op);
  for (std::size_t i = 0; i < all.size(); ++i) {  // grows while it is read
    const OpId op = all[i];
    for (const OpId other : problem_.unit_ops(problem_.unit(op))) add(other);
    if (group_of_[index(op)] < 0) continue;
    for (const OpId other : plan_.fusions[static_cast<std::size_t>(group_of_[index(op)])]) add(other);
  }
  std::sort(all.begin(), all.end());
  return all;
}

Result<Moved> Mover::move(std::span<const OpId> ops, DeviceId to) {
  Moved moved{plan_, {}};
  for (const OpId op : with_companions(ops)) {
    if ((problem_.allowed(op) & device_bit(to)) == 0) {
      return bad_input("'{}' may only be on {}", problem_.graph().name(op),
                       names_of(problem_.machine(), problem_.allowed(op)));
    }
    moved.plan.device_of[index(op)] = to;
  }
  if (const auto broken = verify(problem_, moved.plan)) return *broken;
  const Score* score = evaluator_->evaluate_bounded(moved.plan, std::numeric_limits<Picoseconds>::max());
  BERTH_CHECK(score != nullptr);
  moved.score = *score;
  return moved;
}

}  // namespace berth::report

// SPDX-License-Identifier: Apache-2.0
#include "report/moves.h"

#include <algorithm>
#include <limits>

#include "machine/device_set.h"

namespace berth::report {

Mover::Mover(const Problem& problem, const Plan& plan)
    : problem_(problem),
      plan_(plan),
      families_(problem),
      families_read_(problem.graph().num_ops()),
      group_of_(problem.graph().num_ops(), -1),
      evaluator_(make_single_evaluator(problem)),
      now_(evaluator_->evaluate(plan)) {
  for (std::size_t group = 0; group < plan.fusions.size(); ++group) {
    for (const OpId op : plan.fusions[group]) group_of_[index(op)] = static_cast<int>(group);
  }
  for (std::size_t family = 0; family < families_.size(); ++family) {
    for (const OpId reader : families_.readers(family)) families_read_[index(reader)].push_back(family);
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

std::vector<std::size_t> Mover::families_along(std::span<const OpId> moved) const {
  const auto is_moved = [&](OpId op) { return std::ranges::binary_search(moved, op); };
  std::vector<std::size_t> along;
  for (const OpId op : moved) {
    for (const std::size_t family : families_read_[index(op)]) {
      if (!is_moved(families_.ops(family).front()) && std::ranges::all_of(families_.readers(family), is_moved)) {
        along.push_back(family);
      }
    }
  }
  std::ranges::sort(along);
  along.erase(std::unique(along.begin(), along.end()), along.end());
  return along;
}

std::vector<OpId> Mover::weights_along(std::span<const OpId> ops) const {
  std::vector<OpId> weights;
  for (const std::size_t family : families_along(with_companions(ops))) {
    weights.insert(weights.end(), families_.ops(family).begin(), families_.ops(family).end());
  }
  std::ranges::sort(weights);
  return weights;
}

Result<Plan> Mover::placed(std::span<const OpId> ops, DeviceId to) const {
  Plan plan = plan_;
  const std::vector<OpId> moved = with_companions(ops);
  for (const OpId op : moved) {
    if ((problem_.allowed(op) & device_bit(to)) == 0) {
      return bad_input("'{}' may only be on {}", problem_.graph().name(op),
                       names_of(problem_.machine(), problem_.allowed(op)));
    }
    plan.device_of[index(op)] = to;
  }
  for (const std::size_t family : families_along(moved)) {
    const bool is_fused =
        std::ranges::any_of(families_.ops(family), [&](OpId op) { return group_of_[index(op)] >= 0; });
    if ((families_.allowed(family) & device_bit(to)) != 0 && !is_fused) families_.put(family, to, plan);
  }
  if (const auto broken = verify(problem_, plan)) return *broken;
  return plan;
}

Result<Moved> Mover::move(std::span<const OpId> ops, DeviceId to) {
  BERTH_TRY(Plan plan, placed(ops, to));
  const Score* score = evaluator_->evaluate_bounded(plan, std::numeric_limits<Picoseconds>::max());
  BERTH_CHECK(score != nullptr);
  return Moved{std::move(plan), *score};
}

}  // namespace berth::report

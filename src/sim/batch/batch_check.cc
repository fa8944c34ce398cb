// SPDX-License-Identifier: Apache-2.0
#include "sim/batch/batch_check.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/thread_pool.h"
#include "machine/device_set.h"

namespace berth {
namespace {

constexpr std::size_t kPlansPerItem = 8;  // that a thread takes at once

std::optional<Error> check_plan_sizes(std::size_t ops, const PlanBatch& plans) {
  if (plans.base.empty() && plans.devices.size() != plans.size * ops) {
    return bad_input("{} plans of {} ops need {} devices, not {}", plans.size, ops, plans.size * ops,
                     plans.devices.size());
  }
  const bool has_base = !plans.base.empty();
  if (has_base && (plans.base.size() != ops || plans.first_move.size() != plans.size + 1 ||
                   !std::is_sorted(plans.first_move.begin(), plans.first_move.end()) ||
                   plans.first_move.back() > plans.moves.size())) {
    return bad_input("a batch of moves needs a base of {} ops and {} places where moves begin, in order", ops,
                     plans.size + 1);
  }
  if (!plans.priorities.empty() && plans.priorities.size() != ops && plans.priorities.size() != plans.size * ops) {
    return bad_input("priorities are one per op ({}) or one per op of every plan ({}), not {}", ops, plans.size * ops,
                     plans.priorities.size());
  }
  return std::nullopt;
}

std::optional<Error> check_move_targets(const Problem& problem, const PlanBatch& plans) {
  if (plans.base.empty()) return std::nullopt;
  const std::size_t ops = problem.graph().num_ops(), devices = problem.machine().num_devices();
  const auto end = plans.moves.begin() + plans.first_move.back();
  const auto stranger = std::find_if(plans.moves.begin() + plans.first_move.front(), end,
                                     [&](const BatchMove& move) { return move.op >= ops || move.device >= devices; });
  if (stranger == end) return std::nullopt;
  return bad_input("move {} is of op {} to device {}: there are {} ops and {} devices", stranger - plans.moves.begin(),
                   stranger->op, stranger->device, ops, devices);
}

bool are_finite(std::span<const double> priorities) {
  return std::ranges::all_of(priorities, [](double priority) { return std::isfinite(priority); });
}

void lower(std::atomic<std::size_t>& lowest, std::size_t value) {
  std::size_t seen = lowest.load(std::memory_order_relaxed);
  while (value < seen && !lowest.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
}

}  // namespace

BatchChecker::BatchChecker(const Problem& problem)
    : problem_(problem),
      has_limits_(problem.constraints().max_devices.has_value() || problem.constraints().max_crossings.has_value()) {
  const DeviceSet all = all_devices(problem.machine());
  for (std::uint32_t unit = 0; unit < problem.num_units(); ++unit) {
    const auto ops = problem.unit_ops(unit);
    const auto first = static_cast<std::uint32_t>(ops.front());
    if (problem.unit_allowed(unit) != all) bound_.push_back({first, problem.unit_allowed(unit)});
    for (const OpId other : ops.subspan(1)) together_.push_back({first, static_cast<std::uint32_t>(other)});
  }
}

bool BatchChecker::are_legal(std::span<const std::uint8_t> device_of) const {
  std::uint8_t highest = 0;
  for (const std::uint8_t device : device_of) highest = std::max(highest, device);
  if (highest >= problem_.machine().num_devices()) return false;
  bool legal = true;
  for (const Bound& bound : bound_) legal &= (bound.allowed >> device_of[bound.op] & 1) != 0;
  for (const Pair& pair : together_) legal &= device_of[pair.first] == device_of[pair.other];
  return legal;
}

bool BatchChecker::may_stand(const PlanBatch& plans, std::size_t i, Scratch& scratch) const {
  const std::size_t ops = problem_.graph().num_ops();
  std::span<const std::uint8_t> row = plans.base;
  if (plans.base.empty()) {
    row = plans.devices.subspan(i * ops, ops);
  } else {
    scratch.row.assign(row.begin(), row.end());
    for (std::uint32_t k = plans.first_move[i]; k < plans.first_move[i + 1]; ++k) {
      scratch.row[plans.moves[k].op] = static_cast<std::uint8_t>(plans.moves[k].device);
    }
    row = scratch.row;
  }
  if (!are_legal(row)) return false;
  const bool has_own_priorities = plans.priorities.size() > ops;
  if (has_own_priorities && !are_finite(plans.priorities.subspan(i * ops, ops))) return false;
  if (!has_limits_) return true;
  plans.read(i, scratch.plan);
  return !verify(problem_, scratch.plan);
}

Error BatchChecker::what_is_wrong(const PlanBatch& plans, std::size_t i) const {
  Plan plan;
  plans.read(i, plan);
  for (const OpId op : problem_.graph().ops()) {
    if (index(plan.device(op)) < problem_.machine().num_devices()) continue;
    return bad_input("op '{}' is on device {}; the machine has {}", problem_.graph().name(op), index(plan.device(op)),
                     problem_.machine().num_devices());
  }
  const std::optional<Error> error = verify(problem_, plan);
  return error ? *error : bad_input("somebody changed it while it was looked at");
}

std::optional<Error> BatchChecker::check(const PlanBatch& plans, ThreadPool& pool, std::size_t first_number) const {
  const std::size_t ops = problem_.graph().num_ops();
  if (auto error = check_plan_sizes(ops, plans)) return error;
  if (auto error = check_move_targets(problem_, plans)) return error;
  std::vector<Scratch> scratches(static_cast<std::size_t>(pool.size()));
  std::atomic<std::size_t> illegal = plans.size;  // the first one that is
  if (plans.priorities.size() == ops && !are_finite(plans.priorities)) illegal = 0;
  pool.for_each((plans.size + kPlansPerItem - 1) / kPlansPerItem, [&](std::size_t item, int worker) {
    const std::size_t end = std::min(plans.size, (item + 1) * kPlansPerItem);
    for (std::size_t i = item * kPlansPerItem; i < end && i < illegal.load(std::memory_order_relaxed); ++i) {
      if (!may_stand(plans, i, scratches[static_cast<std::size_t>(worker)])) lower(illegal, i);
    }
  });
  if (illegal >= plans.size) return std::nullopt;
  return within(fmt::format("plan {}", first_number + illegal), what_is_wrong(plans, illegal));
}

std::optional<Error> check_batch(const Problem& problem, const PlanBatch& plans) {
  ThreadPool here(1);
  return BatchChecker(problem).check(plans, here);
}

}  // namespace berth

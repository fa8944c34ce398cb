// SPDX-License-Identifier: Apache-2.0
#include "plan/search/placement.h"

#include <algorithm>
#include <bit>

#include "base/text.h"
#include "machine/device_set.h"

namespace berth {
namespace {

bool has_compute(const Problem& problem, std::uint32_t unit) {
  return std::ranges::any_of(problem.unit_ops(unit),
                             [&](OpId op) { return problem.graph().role(op) == Role::kCompute; });
}

// Devices that some compute op cannot do without.
DeviceSet devices_needed(const Problem& problem) {
  DeviceSet needed = 0;
  for (std::uint32_t unit = 0; unit < problem.num_units(); ++unit) {
    const DeviceSet allowed = problem.unit_allowed(unit);
    if (std::has_single_bit(allowed) && has_compute(problem, unit)) needed |= allowed;
  }
  return needed;
}

bool some_compute_outside(const Problem& problem, DeviceSet devices) {
  for (std::uint32_t unit = 0; unit < problem.num_units(); ++unit) {
    if ((problem.unit_allowed(unit) & devices) == 0 && has_compute(problem, unit)) return true;
  }
  return false;
}

}  // namespace

DeviceSet set_of(std::span<const DeviceId> devices) {
  DeviceSet set = 0;
  for (const DeviceId device : devices) set |= device_bit(device);
  return set;
}

std::vector<DeviceId> worker_devices(const Problem& problem) {
  std::vector<DeviceId> workers = problem.machine().accelerators();
  if (workers.empty()) {
    for (const DeviceId device : problem.machine().device_ids()) workers.push_back(device);
  }
  if (const auto limit = problem.constraints().max_devices) {
    const int others = some_compute_outside(problem, set_of(workers)) ? 1 : 0;
    const auto room = static_cast<std::size_t>(std::max(*limit - others, 1));
    const DeviceSet needed = devices_needed(problem);
    std::stable_partition(workers.begin(), workers.end(), [&](DeviceId device) { return (needed & device_bit(device)) != 0; });
    workers.resize(std::min(workers.size(), room));
  }
  return workers;
}

bool has_limits(const Problem& problem) {
  return problem.constraints().max_devices || problem.constraints().max_crossings;
}

DeviceId fallback_device(const Problem& problem) {
  return problem.machine().first_of(DeviceKind::kCpu).value_or(DeviceId{0});
}

DeviceId allowed_or_fallback(const Problem& problem, std::uint32_t unit, DeviceId wanted) {
  const DeviceSet allowed = problem.unit_allowed(unit);
  if ((allowed & device_bit(wanted)) != 0) return wanted;
  const DeviceId fallback = fallback_device(problem);
  if ((allowed & device_bit(fallback)) != 0) return fallback;
  return lowest_device(allowed);
}

Plan plan_from_units(const Problem& problem, std::span<const DeviceId> wanted) {
  Plan plan;
  plan.device_of.resize(problem.graph().num_ops());
  for (std::uint32_t unit = 0; unit < problem.num_units(); ++unit) {
    const DeviceId device = allowed_or_fallback(problem, unit, wanted[unit]);
    for (const OpId op : problem.unit_ops(unit)) plan.device_of[index(op)] = device;
  }
  return plan;
}

Plan plan_on_one_device(const Problem& problem, DeviceId device) {
  return plan_from_units(problem, std::vector<DeviceId>(problem.num_units(), device));
}

std::string where_note(const Problem& problem, const Plan& plan, DeviceId device) {
  std::size_t elsewhere = 0;
  for (const OpId op : problem.graph().ops()) {
    if (problem.graph().role(op) == Role::kCompute && plan.device(op) != device) ++elsewhere;
  }
  const std::string& name = problem.machine().device(device).name;
  if (elsewhere == 0) return "all on " + name;
  return fmt::format("on {}, {} elsewhere", name, counted(elsewhere, "op"));
}

std::string saved_note(const Score& before, const Score& after) {
  const double saved = 1.0 - to_seconds(after.step_time) / to_seconds(before.step_time);
  return saved < 0.0005 ? "less than 0.1 % off" : fmt::format("{:.1f} % off", 100 * saved);
}

Result<Plan> submit(Search& search, Plan plan, std::string_view planner) {
  if (const auto broken = verify(search.problem(), plan)) {
    return infeasible("planner '{}' cannot meet the constraints: {}", planner, broken->message);
  }
  search.evaluate(plan);
  return plan;
}

}  // namespace berth

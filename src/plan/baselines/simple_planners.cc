// SPDX-License-Identifier: Apache-2.0
#include "plan/baselines/simple_planners.h"

#include <optional>

#include "plan/search/placement.h"
#include "plan/weights/settle.h"

namespace berth {
namespace {

// Accelerators first: if the budget ends early, the likely best was tried.
std::vector<DeviceId> accelerators_then_cpus(const Machine& machine) {
  std::vector<DeviceId> devices = machine.accelerators();
  for (const DeviceId device : machine.device_ids()) {
    if (machine.device(device).kind == DeviceKind::kCpu) devices.push_back(device);
  }
  return devices;
}

// A device that was not tried may still be better, or hold what the others do not.
std::string note_of(const std::string& where, const std::string& device, bool feasible, std::size_t tried,
                    std::size_t all) {
  const std::string share = fmt::format("{} of {} devices tried", tried, all);
  if (tried == all) return feasible ? where : "no device holds it alone, nearest is " + device;
  if (feasible) return fmt::format("{}, {}", where, share);
  return fmt::format("{}, none holds it alone, nearest is {}", share, device);
}

Result<Plan> all_on(Search& search, DeviceId device, std::string_view missing, std::string_view planner) {
  Plan plan = plan_on_one_device(search.problem(), device);
  search.set_note(std::string(missing) + where_note(search.problem(), plan, device));
  return submit_settled(search, std::move(plan), planner);
}

}  // namespace

Result<Plan> SinglePlanner::plan(Search& search) {
  std::optional<Plan> best;
  std::optional<Error> first_error;
  Score best_score;
  DeviceId best_device = kNoDevice;
  const Problem& problem = search.problem();
  const std::vector<DeviceId> devices = accelerators_then_cpus(problem.machine());
  std::size_t tried = 0;
  for (const DeviceId device : devices) {
    if (best && search.should_stop()) break;
    ++tried;
    Result<Plan> candidate = submit_settled(search, plan_on_one_device(problem, device), "single");
    if (!candidate) {
      if (!first_error) first_error = candidate.error();
      continue;
    }
    if (best && !better(search.last_score(), best_score)) continue;
    best = *std::move(candidate);
    best_score = search.last_score();
    best_device = device;
  }
  if (!best) return *first_error;
  search.set_note(note_of(where_note(problem, *best, best_device), problem.machine().device(best_device).name,
                          best_score.feasible, tried, devices.size()));
  return *std::move(best);
}

Result<Plan> CpuOnlyPlanner::plan(Search& search) {
  const bool has_cpu = search.problem().machine().first_of(DeviceKind::kCpu).has_value();
  return all_on(search, fallback_device(search.problem()), has_cpu ? "" : "no CPU, ", "cpu-only");
}

Result<Plan> GpuOnlyPlanner::plan(Search& search) {
  const std::vector<DeviceId> accelerators = search.problem().machine().accelerators();
  if (accelerators.empty()) return all_on(search, fallback_device(search.problem()), "no accelerator, ", "gpu-only");
  return all_on(search, accelerators.front(), "", "gpu-only");
}

Result<Plan> RandomPlanner::plan(Search& search) {
  const std::vector<DeviceId> workers = worker_devices(search.problem());
  Rng rng(search.budget().seed);
  std::vector<DeviceId> wanted(search.problem().num_units());
  for (DeviceId& device : wanted) device = workers[rng.below(workers.size())];
  return submit(search, plan_from_units(search.problem(), wanted), "random");
}

Result<Plan> RoundRobinPlanner::plan(Search& search) {
  const Problem& problem = search.problem();
  const std::vector<DeviceId> workers = worker_devices(problem);
  std::vector<DeviceId> wanted(problem.num_units(), kNoDevice);
  std::size_t dealt = 0;
  for (const OpId op : problem.graph().topological_order()) {
    DeviceId& device = wanted[problem.unit(op)];
    if (device == kNoDevice) device = workers[dealt++ % workers.size()];
  }
  return submit(search, plan_from_units(problem, wanted), "round-robin");
}

}  // namespace berth

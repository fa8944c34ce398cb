// SPDX-License-Identifier: Apache-2.0
#include "learn/planners.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <array>
#include <exception>

#include "base/text.h"
#include "learn/colocation.h"
#include "learn/communicator.h"
#include "learn/environment.h"
#include "learn/grouping/simple.h"
#include "learn/guarded.h"
#include "learn/placement_policy.h"
#include "learn/trainer.h"
#include "plan/single.h"

namespace berth::learn {
namespace {

constexpr std::size_t kMostGroups = 256, kGroupsPerDevice = 20;  // as in Google's code

// 0 groups: as many as the papers have.
std::size_t number_of_groups(std::string_view planner, const Problem& problem, const Options& options) {
  if (options.groups > 0) return static_cast<std::size_t>(options.groups);
  if (planner == "colocrl") return paper_groups(problem.graph());
  return std::min(kMostGroups, kGroupsPerDevice * problem.machine().num_devices());
}

Result<at::Device> device_named(const std::string& name) {
  try {
    const at::Device device(name);
    if (device.is_cpu()) return device;
    if (!device.is_cuda()) return bad_input("no policy device '{}'; it is cpu or cuda", name);
    if (!at::hasCUDA()) return bad_input("no policy device '{}': this libtorch sees no CUDA device", name);
    (void)at::zeros({1}, device);  // says now whether that one is there
    return device;
  } catch (const std::exception&) {
    return bad_input("no policy device '{}'; it is cpu, cuda or cuda:N for a GPU that is there", name);
  }
}

class LearnedPlanner : public Planner {
 public:
  LearnedPlanner(std::string_view name, const Options& options, std::string policy_device)
      : name_(name), options_(options), policy_device_(std::move(policy_device)) {}

  Result<Plan> plan(Search& search) override {
    return guarded([&]() -> Result<Plan> { return trained(search); });
  }

 private:
  Result<Plan> trained(Search& search) {
    const Problem& problem = search.problem();
    BERTH_TRY(const std::unique_ptr<Policy> policy,
              make_policy(name_, problem, options_, search.budget().seed, policy_device_));
    if (policy->parameters().count() == 0) return SinglePlanner().plan(search);  // nothing to decide
    const std::unique_ptr<Environment> environment = make_simulated_environment(problem, search.budget().threads);
    const std::unique_ptr<Communicator> alone = make_alone();
    Trainer trainer(*policy, *environment, options_, search.budget().seed, *alone);
    trainer.set_on_plan([&](const Plan& plan, const Score& score) { search.add(plan, score); });
    trainer.set_on_illegal([&] { search.count_evaluations(1); });
    trainer.set_should_stop([&] { return search.should_stop(); });
    while (!search.should_stop() && !search.at_lower_bound()) {
      const std::uint64_t limit = search.budget().evaluations;
      const std::uint64_t left = limit > search.evaluations() ? limit - search.evaluations() : 1;
      BERTH_TRY(const std::optional<UpdateFacts> facts, trainer.update(limit > 0 ? left : 0));
      search.tick();
      if (!facts) break;
    }
    if (!search.has_best()) return SinglePlanner().plan(search);  // no budget, or limits that no sample kept
    search.set_note(fmt::format("trained from scratch: {} updates, {} parameters", trainer.updates(),
                                group_digits(static_cast<std::uint64_t>(policy->parameters().count()))));
    return search.best_plan();
  }

  std::string name_;
  Options options_;
  std::string policy_device_;
};

template <const auto& kName>
std::unique_ptr<Planner> make_default() {
  return make_learned_planner(kName, preset(kName, "default").value());
}

constexpr std::string_view kColocRl = "colocrl", kHierarchical = "hierarchical";

}  // namespace

std::span<const PlannerInfo> learned_planners() {
  static constexpr std::array kTable{
      PlannerInfo{kColocRl, "recurrent policy over colocation groups (2017)", make_default<kColocRl>, true, true},
      PlannerInfo{kHierarchical, "grouper and placer trained together (2018)", make_default<kHierarchical>, true, true},
  };
  return kTable;
}

std::unique_ptr<Planner> make_learned_planner(std::string_view name, const Options& options,
                                              const std::string& policy_device) {
  return std::make_unique<LearnedPlanner>(name, options, policy_device);
}

Result<std::unique_ptr<Policy>> make_policy(std::string_view planner, const Problem& problem, const Options& options,
                                            std::uint64_t seed, const std::string& policy_device) {
  BERTH_TRY(const at::Device device, device_named(policy_device));
  at::set_num_threads(1);  // results must not depend on how many cores there are
  const std::size_t groups = number_of_groups(planner, problem, options);
  std::optional<Grouping> fixed, start;
  Grouping items = one_group_per_unit(problem);
  if (options.grouping != "learned" && options.grouping != "none") {
    BERTH_TRY(fixed, fixed_grouping(problem, options.grouping, groups, seed));
  }
  const Grouping with_views = join_views(problem, items);
  if (options.grouping == "learned" && options.start == "heavy") start = heavy_grouping(problem, with_views, groups);
  if (options.grouping == "learned" && options.clusters > 0) {
    items = heavy_grouping(problem, with_views, groups * static_cast<std::size_t>(options.clusters));
    if (start) items = common_parts(problem, items, *start);
  }
  return guarded([&]() -> Result<std::unique_ptr<Policy>> {
    return std::unique_ptr<Policy>(
        std::make_unique<PlacementPolicy>(problem, options, groups, std::move(items), fixed, start, seed, device));
  });
}

}  // namespace berth::learn

// SPDX-License-Identifier: Apache-2.0
#include "runs/methods/hierarchical.h"

#include "learn/grouping/fixed.h"
#include "learn/grouping/simple.h"
#include "learn/hierarchical/placement_policy.h"
#include "learn/methods.h"
#include "plan/coarsen/heavy_grouping.h"

namespace berth::learn {
namespace {

// Groups that a Grouper learns: of clusters of ops, from where it is to begin.
ItemGroups learned_groups(const Problem& problem, const HierarchicalOptions& options, std::size_t groups) {
  ItemGroups grouped{.items = one_group_per_unit(problem), .start_weight = options.start_weight};
  const Grouping with_views = join_views(problem, grouped.items);
  if (options.start == GrouperStart::kHeavy) grouped.start = heavy_grouping(problem, with_views, groups);
  if (options.clusters > 0) {
    grouped.items = heavy_grouping(problem, with_views, groups * static_cast<std::size_t>(options.clusters));
    if (grouped.start) grouped.items = common_parts(problem, grouped.items, *grouped.start);
  }
  return grouped;
}

Result<std::unique_ptr<PlacementPolicy>> make_hierarchical_policy(const Problem& problem,
                                                                  const HierarchicalOptions& options,
                                                                  const Setup& setup) {
  const std::size_t groups = usual_groups(problem, options.groups);
  ItemGroups grouped;
  if (options.grouping) {
    BERTH_TRY(grouped, given_groups(problem, *options.grouping, groups, setup.seed));
  } else {
    grouped = learned_groups(problem, options, groups);
  }
  return std::make_unique<PlacementPolicy>(problem, options, groups, std::move(grouped), setup.seed, setup.device);
}

Result<std::unique_ptr<Learner>> make_hierarchical(Environments environments, const HierarchicalOptions& options,
                                                   const Setup& setup, Communicator& communicator) {
  BERTH_TRY(auto policy, make_hierarchical_policy(environments.front()->problem(), options, setup));
  return make_trainer(std::move(policy), std::move(environments), options, setup, communicator);
}

Result<Beliefs> tell_hierarchical(const Problem& problem, const HierarchicalOptions& options, const Setup& setup,
                                  std::span<const float> values) {
  BERTH_TRY(const auto policy, make_hierarchical_policy(problem, options, setup));
  BERTH_RETURN_IF_ERROR(set_trained_values(policy->parameters(), values));
  return policy->beliefs();
}

}  // namespace

LearnedMethod Hierarchical::learned() { return learned_method<Options>(make_hierarchical, tell_hierarchical); }

}  // namespace berth::learn

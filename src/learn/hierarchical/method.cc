// SPDX-License-Identifier: Apache-2.0
#include "learn/hierarchical/method.h"

#include "learn/grouping/fixed.h"
#include "learn/hierarchical/placement_policy.h"

namespace berth::learn {
namespace {

Result<std::unique_ptr<PlacementPolicy>> make_hierarchical_policy(const Problem& problem,
                                                                  const HierarchicalOptions& options,
                                                                  const Setup& setup) {
  return make_placement_policy(problem, options, usual_groups(problem, options.groups), setup.seed, setup.device);
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

LearnedMethod hierarchical_method() {
  return learned_method<HierarchicalOptions>(make_hierarchical, tell_hierarchical);
}

}  // namespace berth::learn

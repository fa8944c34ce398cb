// SPDX-License-Identifier: Apache-2.0
// The policy is that of `hierarchical`, with groups that are given.
#include "runs/methods/colocrl.h"

#include "learn/colocrl/paper_groups.h"
#include "learn/hierarchical/placement_policy.h"
#include "learn/methods.h"

namespace berth::learn {
namespace {

Result<std::unique_ptr<PlacementPolicy>> make_colocrl_policy(const Problem& problem, const ColocrlOptions& options,
                                                             const Setup& setup) {
  const std::size_t groups =
      options.groups > 0 ? static_cast<std::size_t>(options.groups) : paper_groups(problem.graph());
  BERTH_TRY(ItemGroups grouped, given_groups(problem, options.grouping, groups, setup.seed));
  return std::make_unique<PlacementPolicy>(problem, options, groups, std::move(grouped), setup.seed, setup.device);
}

Result<std::unique_ptr<Learner>> make_colocrl(Environments environments, const ColocrlOptions& options,
                                              const Setup& setup, Communicator& communicator) {
  BERTH_TRY(auto policy, make_colocrl_policy(environments.front()->problem(), options, setup));
  return make_trainer(std::move(policy), std::move(environments), options, setup, communicator);
}

Result<Beliefs> tell_colocrl(const Problem& problem, const ColocrlOptions& options, const Setup& setup,
                             std::span<const float> values) {
  BERTH_TRY(const auto policy, make_colocrl_policy(problem, options, setup));
  BERTH_RETURN_IF_ERROR(set_trained_values(policy->parameters(), values));
  return policy->beliefs();
}

}  // namespace

LearnedMethod Colocrl::learned() { return learned_method<Options>(make_colocrl, tell_colocrl); }

}  // namespace berth::learn

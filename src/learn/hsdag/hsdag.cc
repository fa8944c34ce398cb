// SPDX-License-Identifier: Apache-2.0
#include "runs/methods/hsdag.h"

#include "learn/hsdag/policy.h"
#include "learn/methods.h"

namespace berth::learn {
namespace {

Result<std::unique_ptr<Learner>> make_hsdag(Environments environments, const HsdagOptions& options, const Setup& setup,
                                            Communicator& communicator) {
  BERTH_TRY(auto policy, make_hsdag_policy(environments.front()->problem(), options, setup.seed, setup.device));
  return make_trainer(std::move(policy), std::move(environments), options, setup, communicator);
}

Result<Beliefs> tell_hsdag(const Problem& problem, const HsdagOptions& options, const Setup& setup,
                           std::span<const float> values) {
  BERTH_TRY(const auto policy, make_hsdag_policy(problem, options, setup.seed, setup.device));
  BERTH_RETURN_IF_ERROR(set_trained_values(policy->parameters(), values));
  return policy->beliefs();
}

}  // namespace

LearnedMethod Hsdag::learned() {
  LearnedMethod method = learned_method<Options>(make_hsdag, tell_hsdag);
  method.tries_single_devices = true;
  return method;
}

}  // namespace berth::learn

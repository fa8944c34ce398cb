// SPDX-License-Identifier: Apache-2.0
#include "runs/methods/placeto.h"

#include "learn/methods.h"
#include "learn/placeto/placeto_learner.h"

namespace berth::learn {
namespace {

Result<std::unique_ptr<Learner>> make_placeto(Environments environments, const PlacetoOptions& options,
                                              const Setup& setup, Communicator& communicator) {
  BERTH_TRY(std::unique_ptr<Learner> learner,
            make_placeto(std::move(environments), options, setup.seed, setup.device, communicator));
  return learner;
}

// There is no policy apart from its learner. The last turn of every group in its likeliest episode.
Result<Beliefs> tell_placeto(const Problem& problem, const PlacetoOptions& options, const Setup& setup,
                             std::span<const float> values) {
  const std::unique_ptr<Communicator> alone = make_alone();
  Environments environments;
  environments.push_back(make_simulated_environment(problem, 1));
  BERTH_TRY(const auto learner, make_placeto(std::move(environments), options, setup.seed, setup.device, *alone));
  BERTH_RETURN_IF_ERROR(set_trained_values(learner->parameters(), values));
  return learner->beliefs(0);
}

}  // namespace

LearnedMethod Placeto::learned() { return learned_method<Options>(make_placeto, tell_placeto); }

}  // namespace berth::learn

// SPDX-License-Identifier: Apache-2.0
#include "learn/method.h"

namespace berth::learn {

std::unique_ptr<Learner> make_trainer(std::unique_ptr<Policy> policy, Environments environments,
                                      const SamplingOptions& options, const Setup& setup, Communicator& communicator) {
  std::vector<Lesson> lessons(1);
  lessons[0] = {std::move(policy), std::move(environments.front())};
  return std::make_unique<Trainer>(std::move(lessons), options, setup.seed, communicator);
}

Status set_trained_values(Parameters& parameters, std::span<const float> values) {
  if (parameters.count() == 0) return bad_input("nothing is to be decided in this problem");
  if (static_cast<std::size_t>(parameters.count()) != values.size()) {
    return bad_input("the policy in it has another size; it comes from another version of berth");
  }
  parameters.set_values(values);
  return {};
}

}  // namespace berth::learn

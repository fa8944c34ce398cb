// SPDX-License-Identifier: Apache-2.0
// The learned methods, a row each, and what is done with one of them whichever it is. What is known of a method without
// libtorch is its MethodInfo (runs/methods.h); what takes libtorch is in the folder of its name, in the file of its
// name: how its learner is made, and what its policy holds likely.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "learn/beliefs.h"
#include "learn/distributed/communicator.h"
#include "learn/train/environment.h"
#include "learn/train/learner.h"
#include "learn/train/trainer.h"
#include "runs/methods.h"

namespace berth::learn {

using Environments = std::vector<std::unique_ptr<Environment>>;

// How a policy begins, and where it computes.
struct Setup {
  std::uint64_t seed;
  at::Device device;
};

struct LearnedMethod {
  const MethodInfo& info;
  // A policy in training, from scratch: one lesson per environment, of which there are several only if it is general.
  std::function<Result<std::unique_ptr<Learner>>(Environments, const Options&, const Setup&, Communicator&)>
      make_learner;
  // What a policy with these values holds likely for a problem.
  std::function<Result<Beliefs>(const Problem&, const Options&, const Setup&, std::span<const float>)> beliefs;
  // As a planner it tries every single device before it learns, so that it is never worse than the best of them.
  bool tries_single_devices = false;
};

template <typename Own>
using MakeLearner = Result<std::unique_ptr<Learner>> (*)(Environments, const Own&, const Setup&, Communicator&);
template <typename Own>
using TellBeliefs = Result<Beliefs> (*)(const Problem&, const Own&, const Setup&, std::span<const float>);

// The row of the method whose options these are.
template <typename Own>
LearnedMethod learned_method(MakeLearner<Own> make, TellBeliefs<Own> tell) {
  return {method_of(Own()),
          [make](Environments environments, const Options& options, const Setup& setup, Communicator& communicator) {
            return make(std::move(environments), std::get<Own>(options), setup, communicator);
          },
          [tell](const Problem& problem, const Options& options, const Setup& setup, std::span<const float> values) {
            return tell(problem, std::get<Own>(options), setup, values);
          }};
}

// The learner of a method that draws whole plans of one problem.
std::unique_ptr<Learner> make_trainer(std::unique_ptr<Policy> policy, Environments environments,
                                      const SamplingOptions& options, const Setup& setup, Communicator& communicator);

// The values of a trained policy; errors where it has another size, or there is nothing to decide.
Status set_trained_values(Parameters& parameters, std::span<const float> values);

// In the order of LearnedMethods.
std::span<const LearnedMethod> learned_methods();
const LearnedMethod& learned_method_of(const Options& options);

// A policy in training, from scratch: one lesson per environment. Several need a method that is general. The
// environments' problems and the communicator must outlive it. `policy_device` is "cpu" or "cuda" ("cuda:1").
Result<std::unique_ptr<Learner>> make_learner(Environments environments, const Options& options, std::uint64_t seed,
                                              const std::string& policy_device, Communicator& communicator);

// What a trained policy holds likely for a problem: `values` are its parameters, the rest is what it was trained with.
Result<Beliefs> beliefs_of(const Problem& problem, const Options& options, std::uint64_t seed,
                           const std::string& policy_device, std::span<const float> values);

}  // namespace berth::learn

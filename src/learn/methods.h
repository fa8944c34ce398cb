// SPDX-License-Identifier: Apache-2.0
// All learned methods, and what is done with one of them whichever it is.
#pragma once

#include <string>

#include "learn/method.h"

namespace berth::learn {

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

// SPDX-License-Identifier: Apache-2.0
// Learners of Placeto for tests.
#pragma once

#include <ATen/Parallel.h>

#include "learn/placeto/placeto_learner.h"
#include "learn/planners.h"

namespace berth::learn {

inline PlacetoOptions small_placeto() {
  PlacetoOptions options = placeto_default();
  options.rounds = 2;
  options.message_width = 6;
  options.episodes = 4;
  return options;
}

// Learns from these problems, each of which must outlive it. One group per unit.
inline std::unique_ptr<PlacetoLearner> placeto_for(const std::vector<const Problem*>& problems,
                                                   const PlacetoOptions& options, std::uint64_t seed,
                                                   Communicator& communicator, int threads = 1) {
  std::vector<std::unique_ptr<Environment>> environments;
  PlacetoLearner::Groupings groupings;
  for (const Problem* problem : problems) {
    environments.push_back(make_simulated_environment(*problem, threads));
    groupings.push_back(one_group_per_unit(*problem));
  }
  at::set_num_threads(1);
  return std::make_unique<PlacetoLearner>(std::move(environments), std::move(groupings), options, seed, at::kCPU,
                                          communicator);
}

// Values that are nothing special: those at the start are partly 0.
inline void scatter(Parameters& parameters, std::uint64_t seed, double size) {
  Rng rng(seed);
  std::vector<float> values = parameters.values();
  for (float& value : values) value += static_cast<float>(size * rng.normal());
  parameters.set_values(values);
}

}  // namespace berth::learn

// SPDX-License-Identifier: Apache-2.0
// The policies of the planners, untrained: what learners train and what beliefs_of() looks into. `go` has its own
// (learn/go/policy.h).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "learn/hsdag/policy.h"
#include "learn/placement_policy.h"
#include "learn/placeto/placeto_learner.h"

namespace berth::learn {

// "cpu", "cuda", "cuda:1"; an error if it is not there.
Result<at::Device> device_named(const std::string& name);

// Of `hierarchical` and `colocrl`.
Result<std::unique_ptr<PlacementPolicy>> make_placement_policy(std::string_view planner, const Problem& problem,
                                                               const Options& options, std::uint64_t seed,
                                                               at::Device device);
Result<std::unique_ptr<HsdagPolicy>> make_hsdag_policy(const Problem& problem, const Options& options,
                                                       std::uint64_t seed, at::Device device);
// Placeto has no policy apart from its learner.
Result<std::unique_ptr<PlacetoLearner>> make_placeto(std::vector<std::unique_ptr<Environment>> environments,
                                                     const Options& options, std::uint64_t seed, at::Device device,
                                                     Communicator& communicator);

}  // namespace berth::learn

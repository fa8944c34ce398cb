// SPDX-License-Identifier: Apache-2.0
// Which policy a planner has, and what it says.
#include <ATen/Parallel.h>

#include "learn/beliefs.h"
#include "learn/go/policy.h"
#include "learn/guarded.h"
#include "learn/policies.h"

namespace berth::learn {
namespace {

Status set_values(Parameters& parameters, std::span<const float> values) {
  if (parameters.count() == 0) return bad_input("nothing is to be decided in this problem");
  if (static_cast<std::size_t>(parameters.count()) != values.size()) {
    return bad_input("the policy in it has another size; it comes from another version of berth");
  }
  parameters.set_values(values);
  return {};
}

// Every node is a group of its own.
Beliefs beliefs_of_go(const Problem& problem, GoPolicy& policy) {
  const at::NoGradGuard guard;
  const GoGraph& graph = policy.graph();
  return make_beliefs(problem, graph.devices, ops_of_items(problem, graph.items),
                      at::softmax(policy.logits().placement, 1), policy.greedy());
}

template <typename Trained>
Result<Beliefs> trained_beliefs(Trained& policy, std::span<const float> values) {
  BERTH_RETURN_IF_ERROR(set_values(policy.parameters(), values));
  return policy.beliefs();
}

}  // namespace

Result<Beliefs> beliefs_of(std::string_view planner, const Problem& problem, const Options& options, std::uint64_t seed,
                           const std::string& policy_device, std::span<const float> values) {
  BERTH_TRY(const at::Device device, device_named(policy_device));
  at::set_num_threads(1);  // the same everywhere, as in training
  return guarded([&]() -> Result<Beliefs> {
    if (planner == "placeto") {
      const std::unique_ptr<Communicator> alone = make_alone();
      std::vector<std::unique_ptr<Environment>> environments;
      environments.push_back(make_simulated_environment(problem, 1));
      BERTH_TRY(const auto learner, make_placeto(std::move(environments), options, seed, device, *alone));
      BERTH_RETURN_IF_ERROR(set_values(learner->parameters(), values));
      return learner->beliefs(0);
    }
    if (planner == "go") {
      const Problem* const problems[] = {&problem};
      const std::unique_ptr<GoPolicy> policy = std::move(make_go_policies(problems, options, seed, device).front());
      BERTH_RETURN_IF_ERROR(set_values(policy->parameters(), values));
      return beliefs_of_go(problem, *policy);
    }
    if (planner == "hsdag") {
      BERTH_TRY(const auto policy, make_hsdag_policy(problem, options, seed, device));
      return trained_beliefs(*policy, values);
    }
    BERTH_TRY(const auto policy, make_placement_policy(planner, problem, options, seed, device));
    return trained_beliefs(*policy, values);
  });
}

}  // namespace berth::learn

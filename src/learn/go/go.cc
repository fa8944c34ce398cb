// SPDX-License-Identifier: Apache-2.0
#include "runs/methods/go.h"

#include "learn/features/items.h"
#include "learn/go/policy.h"
#include "learn/methods.h"

namespace berth::learn {
namespace {

Result<std::unique_ptr<Learner>> make_go(Environments environments, const GoOptions& options, const Setup& setup,
                                         Communicator& communicator) {
  std::vector<const Problem*> problems;
  for (const auto& environment : environments) problems.push_back(&environment->problem());
  std::vector<std::unique_ptr<GoPolicy>> policies = make_go_policies(problems, options, setup.seed, setup.device);
  std::vector<Lesson> lessons(policies.size());
  for (std::size_t i = 0; i < lessons.size(); ++i) lessons[i] = {std::move(policies[i]), std::move(environments[i])};
  return std::unique_ptr<Learner>(std::make_unique<Trainer>(std::move(lessons), options, setup.seed, communicator));
}

// Every node is a group of its own.
Result<Beliefs> tell_go(const Problem& problem, const GoOptions& options, const Setup& setup,
                        std::span<const float> values) {
  const Problem* const problems[] = {&problem};
  const std::unique_ptr<GoPolicy> policy =
      std::move(make_go_policies(problems, options, setup.seed, setup.device).front());
  BERTH_RETURN_IF_ERROR(set_trained_values(policy->parameters(), values));
  const at::NoGradGuard guard;
  const GoGraph& graph = policy->graph();
  return make_beliefs(problem, graph.devices, ops_of_items(problem, graph.items),
                      at::softmax(policy->logits().placement, 1), policy->greedy());
}

}  // namespace

LearnedMethod Go::learned() { return learned_method<Options>(make_go, tell_go); }

}  // namespace berth::learn

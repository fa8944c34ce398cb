// SPDX-License-Identifier: Apache-2.0
// GoPolicy: the policy of `go` for one problem. Policies of several problems share one network and its parameters.
//
// Given the network's logits every node chooses by itself: a device, a level of priority, a level of fusion. Under
// noise (learn/go/field_noise.h) every plan has logits of its own; its log-probability is that given the noise, whose
// gradient is that of the policy with the noise, since the noise does not depend on the parameters.
#pragma once

#include <memory>

#include "learn/go/network.h"
#include "learn/go/plan_maker.h"
#include "learn/train/policy.h"

namespace berth::learn {

// What the policies of one training share.
struct GoModel {
  Parameters parameters;
  std::unique_ptr<GoNetwork> network;  // null: nothing is to be decided anywhere
};

class GoPolicy : public Policy {
 public:
  // The problem must outlive the policy.
  GoPolicy(const Problem& problem, const GoOptions& options, std::shared_ptr<GoModel> model);

  Parameters& parameters() override { return model_->parameters; }
  std::unique_ptr<Batch> sample(const Sampling& sampling, Rng& rng) override;
  Plan greedy() override;
  [[nodiscard]] double proposal_noise() const override { return 12.0; }  // of logits that are mostly within 5 to 20

  [[nodiscard]] const GoGraph& graph() const { return graph_; }
  [[nodiscard]] const GoTasks& tasks() const { return tasks_; }
  [[nodiscard]] GoLogits logits() const { return model_->network->forward(graph_); }
  // Choices of one plan, node after node: columns of devices, levels, and for an order its nodes from first to last.
  struct Choices {
    std::vector<std::int64_t> device, schedule, fusion;
  };
  [[nodiscard]] Plan plan_of(const Choices& choices) const;
  // Whether anything is to be decided.
  [[nodiscard]] bool has_choice() const;

 private:
  GoTasks tasks_;
  std::shared_ptr<GoModel> model_;
  GoGraph graph_;
  PlanMaker maker_;
};

// A policy for every problem, all with one network that begins from `seed`. Devices that are not to be decided are
// those that the problem's pins leave, or else the first accelerator.
std::vector<std::unique_ptr<GoPolicy>> make_go_policies(std::span<const Problem* const> problems,
                                                        const GoOptions& options, std::uint64_t seed,
                                                        at::Device device);

}  // namespace berth::learn

// SPDX-License-Identifier: Apache-2.0
// GoPolicy: the policy of `go` for one problem. Policies of several problems share one network and its parameters.
//
// Given the network's logits every node chooses by itself: a device, a level of priority, a level of fusion. Under
// noise (learn/go/batch.h) every plan has logits of its own; its log-probability is that given the noise, whose
// gradient is that of the policy with the noise, since the noise does not depend on the parameters.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "learn/go/network.h"
#include "learn/train/policy.h"
#include "plan/fuse/fuser.h"

namespace berth::learn {

// What the policies of one training share.
struct GoModel {
  Parameters parameters;
  std::unique_ptr<GoNetwork> network;  // null: nothing is to be decided anywhere
};

// Choices of every node in, a plan out.
class PlanMaker {
 public:
  // All must outlive it.
  PlanMaker(const Problem& problem, const Items& items, std::span<const DeviceId> devices, const GoTasks& tasks);

  // Per node: its device as an index into `devices`, its rank in the schedule (higher goes first) and its level of
  // fusion. Those of tasks that are not decided are not looked at.
  [[nodiscard]] Plan plan(std::span<const std::int64_t> device, std::span<const std::int64_t> rank,
                          std::span<const std::int64_t> fusion) const;

 private:
  [[nodiscard]] std::vector<double> priorities(const Plan& plan, std::span<const std::int64_t> rank) const;

  const Problem& problem_;
  const Items& items_;
  std::span<const DeviceId> devices_;
  GoTasks tasks_;
  std::optional<Fuser> fuser_;
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

// SPDX-License-Identifier: Apache-2.0
// The policy of HSDAG (Duan et al., NeurIPS 2024). A batch is made of episodes: HsdagOptions::groupings of them, each
// of HsdagOptions::placements steps. A step parses the graph into clusters, draws a device for each, and adds what the
// network made of a cluster to the features of its nodes, which is the state of the next step. Nothing of that needs a
// reward, so that a batch is drawn as a whole; rewards are credited by the trainer (credit.h).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "learn/beliefs.h"
#include "learn/features/items.h"
#include "learn/hsdag/network.h"
#include "learn/train/policy.h"
#include "runs/methods/hsdag.h"

namespace berth::learn {

class HsdagPolicy : public Policy {
 public:
  // `clusters`: of the problem's units, for Parser::kMetis. The problem must outlive the policy.
  HsdagPolicy(const Problem& problem, const HsdagOptions& options, const std::optional<Grouping>& clusters,
              std::uint64_t seed, at::Device device);

  Parameters& parameters() override { return parameters_; }
  std::unique_ptr<Batch> sample(const Sampling& sampling, Rng& rng) override;
  Plan greedy() override;
  void begin_update(std::uint64_t updates) override;
  [[nodiscard]] Beliefs beliefs();  // on the way to that plan

  [[nodiscard]] const Items& items() const { return items_; }
  [[nodiscard]] std::size_t num_devices() const { return devices_.size(); }

 private:
  friend class HsdagBatch;
  [[nodiscard]] Plan plan_of(const HsdagNetwork::Pass& pass, std::span<const std::uint32_t> device_of_cluster) const;
  [[nodiscard]] Plan plan_of_nodes(std::span<const std::uint32_t> device_of_node) const;
  [[nodiscard]] std::vector<std::uint32_t> devices_in(const Plan& plan) const;  // of every node, by their numbers here

  const Problem& problem_;
  HsdagOptions options_;
  Items items_;
  std::vector<DeviceId> devices_;
  Parameters parameters_;
  Tensor features_;                      // [nodes, features]: the state that an episode begins with
  std::optional<HsdagNetwork> network_;  // none where there is nothing to decide
  std::vector<bool> matters_;            // nodes whose device can make a difference
  std::vector<float> first_values_;      // of the parameters; empty unless something is frozen later
};

// The policy untrained, as its options say. With METIS as many clusters as learned parsing leaves at the start, about a
// quarter, unless `groups` says.
Result<std::unique_ptr<HsdagPolicy>> make_hsdag_policy(const Problem& problem, const HsdagOptions& options,
                                                       std::uint64_t seed, at::Device device);

class HsdagBatch : public Batch {
 public:
  HsdagBatch(HsdagPolicy& policy, const Sampling& sampling, Rng& rng);
  // Nothing: a pass with gradients is made step by step in loss(), so that memory holds one step at a time.
  void prepare() override {}
  // Pushes the gradients back itself, step by step; what it returns is the value alone, for the caller to push back
  // without effect.
  Tensor loss(const LossTerms& terms) override;
  [[nodiscard]] std::vector<double> log_probabilities() const override;
  [[nodiscard]] Entropies entropies() const override { return entropies_; }
  [[nodiscard]] double used_groups() const override { return used_groups_; }
  [[nodiscard]] bool was_stopped() const override { return stopped_; }

 private:
  struct Step {
    Tensor features;  // the state it was drawn in
    std::uint64_t seed;
    std::vector<Parsing> parsings;
    Tensor choice;    // [clusters, 1]
    Tensor log_then;  // [clusters], of the choices when they were drawn
    Tensor counts;    // [clusters]: 1 where the choice was the policy's, 0 where it was that of a plan; none: all were
  };
  void draw_episode(int steps, Rng& rng);
  Tensor draw_step(const Tensor& features, Rng& rng);
  void draw_all(const HsdagNetwork::Pass& pass, const Tensor& chances, Step& step, Rng& rng);
  void draw_near(const HsdagNetwork::Pass& pass, const Tensor& chances, Step& step, Rng& rng);
  static Tensor gain(const Step& step, const Tensor& log_now, double weight, double ratio_clip);
  void keep_choice(const std::vector<std::uint32_t>& drawn, Step& step) const;
  bool gives_up() { return stopped_ = stopped_ || (should_stop_ && should_stop_()); }

  HsdagPolicy& policy_;
  std::vector<Step> steps_;
  Entropies entropies_;
  double used_groups_ = 0.0;
  std::function<bool()> should_stop_;
  std::vector<std::uint32_t> near_;  // device of every node in the plan that all are drawn near; empty: in none
  bool stopped_ = false;
};

}  // namespace berth::learn

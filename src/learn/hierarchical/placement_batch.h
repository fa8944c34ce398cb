// SPDX-License-Identifier: Apache-2.0
// One batch of a PlacementPolicy: the choices that were drawn, and what the loss needs of them.
#pragma once

#include <vector>

#include "learn/hierarchical/placement_policy.h"

namespace berth::learn {

class PlacementBatch : public Batch {
 public:
  PlacementBatch(PlacementPolicy& policy, const Sampling& sampling, Rng& rng);
  // The batch of choices that are given: the group of every item, once per grouping, and for each of them the device of
  // every group, as an index into the policy's devices, once per placement.
  PlacementBatch(PlacementPolicy& policy, std::vector<std::vector<std::uint32_t>> groups,
                 const std::vector<std::vector<std::int64_t>>& devices);
  void prepare() override;
  Tensor loss(const LossTerms& terms) override;
  [[nodiscard]] std::vector<double> log_probabilities() const override;
  [[nodiscard]] Entropies entropies() const override { return entropies_; }
  [[nodiscard]] std::size_t plans_per_choice() const override {
    return grouping_log_.defined() ? static_cast<std::size_t>(placements_) : 1;
  }
  [[nodiscard]] double used_groups() const override;

 private:
  void draw_groupings(double noise, Rng& rng);
  void draw_placements(double noise, Rng& rng);
  [[nodiscard]] Tensor grouping_logs() const;
  void keep_grouping_choices();
  void make_plans();

  PlacementPolicy& policy_;
  int groupings_, placements_;                   // placements: of each grouping
  std::vector<PlacementPolicy::Groups> groups_;  // per grouping
  Tensor grouping_log_, grouping_choice_;        // log-softmax [items, groups], [m, items]
  GroupInput embedding_;
  Placements drawn_;
  Tensor grouping_noise_;  // as drawn; undefined: none
  // Logarithms of the choices' chances, now and when they were first prepared: [m, items], [m k, groups].
  Tensor log_grouping_, log_placing_, grouping_then_, placing_then_;
  Tensor placing_log_;  // of every device for every group, given the choices before: [m k, groups, devices]
  bool prepared_ = false;
  Entropies entropies_;
};

}  // namespace berth::learn

// SPDX-License-Identifier: Apache-2.0
// The policy behind `hierarchical` and `colocrl`: items in groups, by a Grouper that is learned or once and for all;
// groups on devices by a Placer. Without groups a network like the Grouper's chooses every item's device.
//
// Joint gradient (Mirhoseini et al., 2018): for m groupings with k placements each, weights w_ij = R_ij - B,
//   loss = - sum_ij w_ij (log p(g_i) + log p(d_ij | g_i)),
// where both logarithms are those of the very choices that were measured.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "learn/beliefs.h"
#include "learn/features/items.h"
#include "learn/hierarchical/grouper.h"
#include "learn/hierarchical/placer.h"
#include "learn/train/policy.h"
#include "runs/methods/placement.h"
#include "runs/options/grouping.h"

namespace berth::learn {

// What is decided on, and how it comes into groups.
struct ItemGroups {
  Grouping items;
  bool any = true;                     // false: there are no groups, every item has a device by itself
  std::optional<Grouping> given = {};  // once and for all; nothing: a Grouper learns them
  std::optional<Grouping> start = {};  // where that Grouper begins, if anywhere
  double start_weight = 0.0;           // logit of being there
};

// Groups that are not learned, `groups` at most.
Result<ItemGroups> given_groups(const Problem& problem, const GroupingRule& rule, std::size_t groups,
                                std::uint64_t seed);

class PlacementPolicy : public Policy {
 public:
  // Untrained, with `groups` groups at most. The problem must outlive the policy.
  PlacementPolicy(const Problem& problem, const PlacementOptions& options, std::size_t groups, ItemGroups grouped,
                  std::uint64_t seed, at::Device device);

  Parameters& parameters() override { return parameters_; }
  std::unique_ptr<Batch> sample(const Sampling& sampling, Rng& rng) override;
  Plan greedy() override;
  [[nodiscard]] Beliefs beliefs();  // on the way to that plan

  [[nodiscard]] std::size_t num_items() const { return items_.size(); }
  [[nodiscard]] std::size_t num_groups() const { return groups_; }
  [[nodiscard]] std::size_t num_devices() const { return devices_.size(); }

 private:
  friend class PlacementBatch;
  using Groups = std::vector<std::uint32_t>;  // of every item
  [[nodiscard]] Groups likeliest_groups() const;
  [[nodiscard]] GroupInput embed(std::span<const Groups> groupings) const;
  [[nodiscard]] Plan plan_of(const Groups& groups, const std::int64_t* device_of_group) const;

  const Problem& problem_;
  PlacementOptions options_;
  Items items_;
  std::vector<DeviceId> devices_;
  ItemFeatures features_;
  std::size_t groups_;  // no more than items
  Parameters parameters_;
  std::optional<Grouper> grouper_;  // learned groups, or devices where there are no groups
  std::unique_ptr<Placer> placer_;  // null where there are no groups
  std::optional<Groups> fixed_;
};

}  // namespace berth::learn

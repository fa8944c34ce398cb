// SPDX-License-Identifier: Apache-2.0
// GroupJoiner: joins groups of a grouping while the limits hold and no work loses a device; what the passes of
// plan/coarsen/grouping.h are made of.
#pragma once

#include <algorithm>

#include "base/disjoint_sets.h"
#include "plan/coarsen/grouping.h"

namespace berth {

class GroupJoiner {
 public:
  // The grouping must outlive it.
  GroupJoiner(const Problem& problem, const Grouping& finer, const GroupLimits& limits)
      : finer_(finer),
        limits_(limits),
        sets_(finer.size()),
        allowed_(finer.allowed),
        weights_(weigh_groups(problem, finer)) {
    if (limits.within == nullptr) return;
    device_of_.resize(finer.size());
    for (const OpId op : problem.graph().ops()) device_of_[finer.of(problem, op)] = limits.within->device(op);
  }

  [[nodiscard]] std::uint32_t root(std::uint32_t group) { return sets_.root(group); }
  // Of roots.
  [[nodiscard]] Picoseconds work(std::uint32_t root) const { return weights_.work[root]; }
  [[nodiscard]] DeviceSet allowed(std::uint32_t root) const { return allowed_[root]; }

  // Whether two different roots may become one.
  [[nodiscard]] bool can_join(std::uint32_t a, std::uint32_t b) const {
    const DeviceSet both = allowed_[a] & allowed_[b];
    if (both == 0 || weights_.work[a] + weights_.work[b] > limits_.work) return false;
    if (weights_.resident[a] + weights_.resident[b] > limits_.resident) return false;
    if (takes_choice(a, both) || takes_choice(b, both)) return false;
    return device_of_.empty() || device_of_[a] == device_of_[b];
  }

  // Joins the groups that these two are part of; false if they are one already or may not become one.
  bool join(std::uint32_t a, std::uint32_t b) {
    a = sets_.root(a);
    b = sets_.root(b);
    if (a == b || !can_join(a, b)) return false;
    sets_.unite(a, b);
    const std::uint32_t kept = std::min(a, b), gone = std::max(a, b);
    allowed_[kept] &= allowed_[gone];
    weights_.work[kept] += weights_.work[gone];
    weights_.resident[kept] += weights_.resident[gone];
    return true;
  }

  [[nodiscard]] Grouping finish() {
    Grouping coarser;
    std::vector<std::uint32_t> number(finer_.size());
    for (std::uint32_t group = 0; group < finer_.size(); ++group) {  // a root comes before its members
      const std::uint32_t root = sets_.root(group);
      if (root == group) {
        number[group] = static_cast<std::uint32_t>(coarser.allowed.size());
        coarser.allowed.push_back(allowed_[group]);
      }
      number[group] = number[root];
    }
    coarser.of_unit.reserve(finer_.of_unit.size());
    for (const std::uint32_t group : finer_.of_unit) coarser.of_unit.push_back(number[group]);
    return coarser;
  }

 private:
  // Whether work would lose a device it may run on: an input on the CPU must not pull its only reader there.
  [[nodiscard]] bool takes_choice(std::uint32_t group, DeviceSet left) const {
    return weights_.work[group] > 0 && allowed_[group] != left;
  }

  const Grouping& finer_;
  GroupLimits limits_;
  DisjointSets sets_;
  std::vector<DeviceSet> allowed_;
  std::vector<DeviceId> device_of_;  // of groups in the plan to join within; empty: anywhere
  GroupWeights weights_;
};

}  // namespace berth

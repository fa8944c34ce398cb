// SPDX-License-Identifier: Apache-2.0
// Beliefs: what a policy holds likely as it is, for people to look at. Every choice is shown as it is made on the way
// to the policy's likeliest plan: given the groups it makes and the devices it has chosen before.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cost/problem.h"
#include "learn/tensor.h"
#include "runs/options.h"

namespace berth::learn {

struct Beliefs {
  struct Group {
    std::vector<OpId> ops;          // in topological order; none: the policy left this group empty
    std::vector<double> chances;    // of every device
    std::size_t chosen = 0;         // the likeliest, as a place in `devices`
    std::vector<double> attention;  // on every group while this one was placed; empty: this policy attends to none

    [[nodiscard]] double entropy() const;  // of the chances, in nats
  };
  std::vector<DeviceId> devices;  // to choose from; chances are in this order
  std::vector<Group> groups;
  std::vector<std::int64_t> group_of;    // of every op; -1: there was nothing to decide
  std::vector<double> grouping_chances;  // of every op: that it is in that group; empty: groups are not learned
  Plan plan;                             // what all of it comes to

  [[nodiscard]] std::size_t used_groups() const;
};

// What a trained policy of that planner holds likely for a problem: `values` are its parameters, the rest is what it
// was trained with. Of `placeto` it is the last turn of every group in its likeliest episode.
Result<Beliefs> beliefs_of(std::string_view planner, const Problem& problem, const Options& options, std::uint64_t seed,
                           const std::string& policy_device, std::span<const float> values);

// The members that every policy fills alike: `ops` are those of every group, `chances` is [groups, devices].
Beliefs make_beliefs(const Problem& problem, std::vector<DeviceId> devices, std::vector<std::vector<OpId>> ops,
                     const Tensor& chances, Plan plan);

}  // namespace berth::learn

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
#include "learn/nn/tensor.h"
#include "problem/problem.h"

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

// The members that every policy fills alike: `ops` are those of every group, `chances` is [groups, devices].
Beliefs make_beliefs(const Problem& problem, std::vector<DeviceId> devices, std::vector<std::vector<OpId>> ops,
                     const Tensor& chances, Plan plan);

}  // namespace berth::learn

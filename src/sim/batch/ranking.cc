// SPDX-License-Identifier: Apache-2.0
#include "sim/batch/ranking.h"

#include <algorithm>
#include <numeric>

#include "sim/batch/urgency.h"

namespace berth::batch {

void Ranking::set(const CompactView& problem, std::span<const double> priorities) {
  if (std::adjacent_find(priorities.begin(), priorities.end(), std::not_equal_to<>()) == priorities.end()) {
    num_changes_ += order_ == Order::kReadyTime ? 0 : 1;
    order_ = Order::kReadyTime;
    return;
  }
  // Most plans of a search have the priorities of the one before.
  if (order_ != Order::kReadyTime && std::equal(priorities.begin(), priorities.end(), given_.begin(), given_.end())) {
    return;
  }
  ++num_changes_;
  given_.assign(priorities.begin(), priorities.end());
  urgency_.resize(priorities.size());
  std::transform(priorities.begin(), priorities.end(), urgency_.begin(), urgency_of);
  ops_.resize(priorities.size());
  std::iota(ops_.begin(), ops_.end(), 0U);
  std::sort(ops_.begin(), ops_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return urgency_[a] != urgency_[b] ? urgency_[a] > urgency_[b] : a < b;
  });
  of_node_.resize(problem.num_nodes);
  node_at_.resize(ops_.size());
  tie_end_.resize(ops_.size());
  order_ = Order::kRank;
  for (auto rank = static_cast<std::uint32_t>(ops_.size()); rank-- > 0;) {
    const bool ties = rank + 1 < ops_.size() && urgency_[ops_[rank]] == urgency_[ops_[rank + 1]];
    tie_end_[rank] = ties ? tie_end_[rank + 1] : rank + 1;
    if (ties) order_ = Order::kRankTies;
    node_at_[rank] = problem.node_of[ops_[rank]];
    of_node_[node_at_[rank]] = rank;
  }
}

}  // namespace berth::batch

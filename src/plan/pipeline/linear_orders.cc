// SPDX-License-Identifier: Apache-2.0
#include "plan/pipeline/linear_orders.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace berth {
namespace {

using Order = std::vector<std::uint32_t>;

constexpr std::size_t kMostOrderSteps = 20'000'000;  // of the order that keeps little under way

std::vector<std::uint32_t> list_sizes(const Lists& lists) {
  std::vector<std::uint32_t> sizes;
  for (std::size_t i = 0; i < lists.size(); ++i) sizes.push_back(static_cast<std::uint32_t>(lists[i].size()));
  return sizes;
}

// Always the block that became ready last; of those that became ready together the lowest or the highest first.
Order depth_first(const Lists& before, const Lists& after, bool lowest_first) {
  std::vector<std::uint32_t> waits = list_sizes(before), ready;
  Order order;
  const auto push = [&](std::vector<std::uint32_t> blocks) {
    if (lowest_first) std::ranges::reverse(blocks);
    ready.insert(ready.end(), blocks.begin(), blocks.end());
  };
  std::vector<std::uint32_t> free;
  for (std::uint32_t block = 0; block < waits.size(); ++block) {
    if (waits[block] == 0) free.push_back(block);
  }
  push(free);
  while (!ready.empty()) {
    const std::uint32_t block = ready.back();
    ready.pop_back();
    order.push_back(block);
    free.clear();
    for (const std::uint32_t next : after[block]) {
      if (--waits[next] == 0) free.push_back(next);
    }
    push(free);
  }
  return order;
}

// Always the ready block after which the nets under way (made, but not read by all) take the least time to move. A
// binary heap would not do: what a block adds changes as others are read. With w ready blocks at a time O(n w degree).
class LeastUnderWay {
 public:
  explicit LeastUnderWay(const StageProblem& stages)
      : stages_(stages), left_(stages.num_nets()), under_way_(stages.num_nets(), 0) {
    for (std::size_t net = 0; net < left_.size(); ++net)
      left_[net] = static_cast<std::uint32_t>(stages.readers[net].size()) + 1;
  }

  // None when asked to stop, or when very many blocks are ready at a time.
  std::optional<Order> run(const std::function<bool()>& should_stop) {
    std::vector<std::uint32_t> waits = list_sizes(stages_.predecessors), ready;
    for (std::uint32_t block = 0; block < waits.size(); ++block) {
      if (waits[block] == 0) ready.push_back(block);
    }
    Order order;
    std::size_t steps = 0;
    while (!ready.empty()) {
      steps += ready.size();
      if (steps > kMostOrderSteps || should_stop()) return std::nullopt;
      const auto best = std::ranges::min_element(ready, {}, [&](std::uint32_t block) { return growth(block); });
      const std::uint32_t block = *best;
      ready.erase(best);
      order.push_back(block);
      take(block);
      for (const std::uint32_t next : stages_.successors[block]) {
        if (--waits[next] == 0) ready.push_back(next);
      }
    }
    return order;
  }

 private:
  [[nodiscard]] Picoseconds time_of(std::uint32_t net) const {
    const std::size_t kinds = stages_.num_kinds();
    return *std::max_element(&stages_.out_time[net * kinds], &stages_.out_time[net * kinds] + kinds);
  }

  template <typename Visit>
  void visit_ends(std::uint32_t block, const Visit& visit) const {
    for (const std::uint32_t net : stages_.made_by[block]) visit(net);
    for (const std::uint32_t net : stages_.read_by[block]) visit(net);
  }

  [[nodiscard]] Picoseconds growth(std::uint32_t block) const {
    Picoseconds sum = 0;
    visit_ends(block, [&](std::uint32_t net) {
      const bool was = under_way_[net] != 0, will = left_[net] > 1;
      sum += (will ? time_of(net) : 0) - (was ? time_of(net) : 0);
    });
    return sum;
  }

  void take(std::uint32_t block) {
    visit_ends(block, [&](std::uint32_t net) { under_way_[net] = --left_[net] > 0 ? 1 : 0; });
  }

  const StageProblem& stages_;
  std::vector<std::uint32_t> left_;  // ends of every net that are still to come
  std::vector<std::uint8_t> under_way_;
};

}  // namespace

std::vector<std::vector<std::uint32_t>> linear_orders(const StageProblem& stages,
                                                      const std::function<bool()>& should_stop) {
  std::vector<Order> orders(1, Order(stages.num_blocks()));
  std::iota(orders[0].begin(), orders[0].end(), 0U);
  if (should_stop()) return orders;
  orders.push_back(depth_first(stages.predecessors, stages.successors, true));
  orders.push_back(depth_first(stages.predecessors, stages.successors, false));
  for (const bool lowest_first : {false, true}) {
    orders.push_back(depth_first(stages.successors, stages.predecessors, lowest_first));
    std::ranges::reverse(orders.back());
  }
  if (auto order = LeastUnderWay(stages).run(should_stop)) orders.push_back(*std::move(order));
  std::vector<Order> distinct;
  for (Order& order : orders) {
    if (std::ranges::find(distinct, order) == distinct.end()) distinct.push_back(std::move(order));
  }
  return distinct;
}

}  // namespace berth

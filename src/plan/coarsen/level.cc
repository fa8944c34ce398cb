// SPDX-License-Identifier: Apache-2.0
#include "plan/coarsen/level.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace berth {

Level::Level(const Problem& problem, Grouping grouping) : grouping_(std::move(grouping)) {
  for (const OpId op : problem.graph().ops()) group_of_op_.push_back(grouping_.of(problem, op));
  work_ = weigh_groups(problem, grouping_).work;
  bytes_ = bytes_of_groups(problem, grouping_);
  list_ops();
  find_neighbours(problem);
  order_movable(problem);
}

void Level::list_ops() {
  op_begin_.assign(size() + 1, 0);
  for (const std::uint32_t group : group_of_op_) ++op_begin_[group + 1];
  for (std::size_t i = 1; i < op_begin_.size(); ++i) op_begin_[i] += op_begin_[i - 1];
  std::vector<std::uint32_t> next(op_begin_.begin(), op_begin_.end() - 1);
  ops_.resize(group_of_op_.size());
  for (std::uint32_t op = 0; op < group_of_op_.size(); ++op) ops_[next[group_of_op_[op]]++] = OpId{op};
}

void Level::find_neighbours(const Problem& problem) {
  const Graph& graph = problem.graph();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const OpId op : graph.ops()) {
    for (const TensorId tensor : graph.distinct_inputs(op)) {
      const std::uint32_t from = group(graph.producer(tensor)), to = group(op);
      if (from == to) continue;
      pairs.emplace_back(from, to);
      pairs.emplace_back(to, from);
    }
  }
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  neighbour_begin_.assign(size() + 1, 0);
  for (const auto& [from, to] : pairs) {
    ++neighbour_begin_[from + 1];
    neighbours_.push_back(to);
  }
  for (std::size_t i = 1; i < neighbour_begin_.size(); ++i) neighbour_begin_[i] += neighbour_begin_[i - 1];
}

void Level::order_movable(const Problem& problem) {
  std::vector<double> sum(size(), 0.0), count(size(), 0.0);
  double position = 0.0;
  for (const OpId op : problem.graph().topological_order()) {
    position += 1.0;
    if (problem.graph().role(op) != Role::kCompute) continue;  // parameters all come first
    sum[group(op)] += position;
    count[group(op)] += 1.0;
  }
  std::vector<double> mean(size(), 0.0);
  for (std::uint32_t group = 0; group < size(); ++group) {
    if (count[group] > 0) mean[group] = sum[group] / count[group];
    if (std::popcount(allowed(group)) > 1) movable_.push_back(group);
  }
  std::ranges::stable_sort(movable_, std::less<>(), [&](std::uint32_t group) { return mean[group]; });
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include "plan/coarsen/join_to_count.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "plan/coarsen/group_joiner.h"

namespace berth {
namespace {

struct Neighbour {
  std::uint32_t group;
  Bytes bytes;
};

// What every group exchanges with every other, in both directions: a tensor counts once for each group that reads it.
std::vector<std::vector<Neighbour>> list_neighbours(const Problem& problem, const Grouping& grouping) {
  const Graph& graph = problem.graph();
  std::vector<std::vector<Neighbour>> neighbours(grouping.size());
  std::vector<std::uint32_t> readers;
  for (const TensorId tensor : graph.tensors()) {
    const std::uint32_t from = grouping.of(problem, graph.producer(tensor));
    readers.clear();
    for (const OpId consumer : graph.consumers(tensor)) readers.push_back(grouping.of(problem, consumer));
    std::ranges::sort(readers);
    readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
    for (const std::uint32_t to : readers) {
      if (to == from) continue;
      neighbours[from].push_back({to, graph.bytes(tensor)});
      neighbours[to].push_back({from, graph.bytes(tensor)});
    }
  }
  return neighbours;
}

// Joins the lightest groups first. Rows of neighbours may name groups that are part of others by now: a row is put in
// order when its group is the lightest, and of two rows the shorter is added to the longer.
class CountJoiner {
 public:
  CountJoiner(const Problem& problem, const Grouping& finer, std::size_t count)
      : joiner_(problem, finer, {}),
        rows_(list_neighbours(problem, finer)),
        parts_(finer.size(), 1),
        left_(finer.size()),
        count_(count) {
    Picoseconds total = 0;
    for (std::uint32_t group = 0; group < finer.size(); ++group) {
      enter(group);
      total += joiner_.work(group);
    }
    heavy_ = 2 * (total / static_cast<Picoseconds>(std::max<std::size_t>(count, 1)));
  }

  Grouping run() {
    while (left_ > count_ && !by_allowed_.empty()) {
      const std::uint32_t lightest = take_lightest();
      if (const std::uint32_t partner = partner_of(lightest); partner != kNone) join(lightest, partner);
    }
    return joiner_.finish();
  }

 private:
  using Weight = std::tuple<Picoseconds, std::uint32_t, std::uint32_t>;  // work, parts, number
  using Sorted = std::set<Weight>;
  static constexpr std::uint32_t kNone = 0xffffffffU;

  [[nodiscard]] Weight weight(std::uint32_t root) const { return {joiner_.work(root), parts_[root], root}; }
  void enter(std::uint32_t root) { by_allowed_[joiner_.allowed(root)].insert(weight(root)); }
  void leave(std::uint32_t root) {
    const auto same = by_allowed_.find(joiner_.allowed(root));
    same->second.erase(weight(root));
    if (same->second.empty()) by_allowed_.erase(same);
  }

  std::uint32_t take_lightest() {
    const auto lighter = [](const auto& a, const auto& b) { return *a.second.begin() < *b.second.begin(); };
    const std::uint32_t lightest = std::get<2>(*std::ranges::min_element(by_allowed_, lighter)->second.begin());
    leave(lightest);
    return lightest;
  }

  // Who the group, which has left, should join. None: it may join nobody, now or later, since what others may join only
  // shrinks.
  std::uint32_t partner_of(std::uint32_t group) {
    put_in_order(group);
    const auto best = std::ranges::max_element(rows_[group], {}, [&](const Neighbour& other) {
      const bool fits = joiner_.can_join(group, other.group);
      const auto [work, parts, number] = weight(other.group);
      const bool light = joiner_.work(group) == 0 || joiner_.work(group) + work <= heavy_;
      return std::tuple(fits, light, other.bytes, -work, -std::int64_t{parts}, -std::int64_t{number});
    });
    if (best != rows_[group].end() && joiner_.can_join(group, best->group)) return best->group;
    return lightest_that_fits(group);
  }

  [[nodiscard]] std::uint32_t lightest_that_fits(std::uint32_t group) const {
    if (const auto same = by_allowed_.find(joiner_.allowed(group)); same != by_allowed_.end()) {
      return std::get<2>(*same->second.begin());
    }
    for (const auto& [allowed, groups] : by_allowed_) {  // if the lightest of a set may not join, none of them may
      const std::uint32_t candidate = std::get<2>(*groups.begin());
      if (joiner_.can_join(group, candidate)) return candidate;
    }
    return kNone;
  }

  // One entry for every group next to this one.
  void put_in_order(std::uint32_t group) {
    std::vector<Neighbour>& row = rows_[group];
    for (Neighbour& other : row) other.group = joiner_.root(other.group);
    std::erase_if(row, [&](const Neighbour& other) { return other.group == group; });
    std::ranges::sort(row, {}, &Neighbour::group);
    std::size_t kept = 0;
    for (const Neighbour& other : row) {
      if (kept > 0 && row[kept - 1].group == other.group) {
        row[kept - 1].bytes += other.bytes;
      } else {
        row[kept++] = other;
      }
    }
    row.resize(kept);
  }

  void join(std::uint32_t group, std::uint32_t partner) {
    leave(partner);
    std::vector<Neighbour>& longer = rows_[rows_[group].size() < rows_[partner].size() ? partner : group];
    std::vector<Neighbour>& shorter = &longer == &rows_[group] ? rows_[partner] : rows_[group];
    longer.insert(longer.end(), shorter.begin(), shorter.end());
    std::vector<Neighbour> row = std::move(longer);
    shorter = {};
    joiner_.join(group, partner);
    const std::uint32_t parts = parts_[group] + parts_[partner];
    const std::uint32_t root = joiner_.root(group);
    rows_[root] = std::move(row);
    parts_[root] = parts;
    --left_;
    enter(root);
  }

  GroupJoiner joiner_;
  std::vector<std::vector<Neighbour>> rows_;  // of roots
  std::vector<std::uint32_t> parts_;          // of roots: how many of the finer groups they hold
  std::size_t left_, count_;
  Picoseconds heavy_ = 0;  // what a group should not hold more of
  std::map<DeviceSet, Sorted> by_allowed_;  // roots that may still join others
};

}  // namespace

Grouping join_to_count(const Problem& problem, const Grouping& finer, std::size_t count) {
  return CountJoiner(problem, finer, count).run();
}

}  // namespace berth

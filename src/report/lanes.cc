// SPDX-License-Identifier: Apache-2.0
#include "report/lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <unordered_map>

#include "report/columns.h"

namespace berth::report {
namespace {

constexpr std::string_view kSeparators = "./";
constexpr std::size_t kSmallestShare =
    10;  // parts below a tenth of the ops stay whole: of twelve layers none is split, not some

// Where an op belongs: its module, else its name up to the last slash.
std::string_view lane_path_of(const Graph& graph, OpId op) {
  if (!graph.module(op).empty()) return graph.module(op);
  const std::string_view name = graph.name(op);
  const std::size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : name.substr(0, slash);
}

bool is_source(const Graph& graph, OpId op) { return graph.role(op) != Role::kCompute && graph.inputs(op).empty(); }

OpId first_user(const Graph& graph, OpId op, const std::vector<std::uint32_t>& column) {
  OpId first = kNoOp;
  for (const TensorId output : graph.outputs(op)) {
    for (const OpId user : graph.consumers(output)) {
      if (first == kNoOp || column[index(user)] < column[index(first)]) first = user;
    }
  }
  return first;
}

// Where every op belongs. Many files name the parts of some ops or weights alone: an op without a path belongs to the
// part of its weights, else to that of its first input, and a weight to what uses it first.
std::vector<std::string_view> paths_of(const Graph& graph, const std::vector<std::uint32_t>& column) {
  std::vector<std::string_view> paths(graph.num_ops());
  for (const OpId op : graph.topological_order()) {
    std::string_view& path = paths[index(op)] = lane_path_of(graph, op);
    for (const bool from_weights : {true, false}) {
      for (const TensorId input : graph.inputs(op)) {
        const OpId from = graph.producer(input);
        if (path.empty() && is_source(graph, from) == from_weights) path = paths[index(from)];
      }
    }
  }
  for (const OpId op : graph.ops()) {
    if (!paths[index(op)].empty() || !is_source(graph, op)) continue;
    if (const OpId user = first_user(graph, op, column); user != kNoOp) paths[index(op)] = paths[index(user)];
  }
  return paths;
}

// Weights and inputs stand one column before what uses them first; here they count as being with it.
std::vector<std::uint32_t> columns_of_use(const Graph& graph) {
  std::vector<std::uint32_t> column = find_columns(graph);
  for (const OpId op : graph.ops()) {
    if (is_source(graph, op)) ++column[index(op)];
  }
  return column;
}

// The part of a path that ends behind the word that follows `prefix`; the whole prefix if none does.
std::string_view one_word_longer(std::string_view path, std::size_t prefix) {
  if (path.size() <= prefix) return path;
  const std::size_t begin = prefix == 0 ? path.find_first_not_of(kSeparators) : prefix + 1;
  if (begin == std::string_view::npos || begin >= path.size()) return path;
  return path.substr(0, path.find_first_of(kSeparators, begin));
}

struct Path {
  std::string_view text;
  std::vector<OpId> ops;
};

struct Group {
  std::string_view prefix;
  std::vector<std::size_t> paths;
  std::size_t ops = 0;
  bool final = false, is_one_path = false;  // is_one_path: there is no longer path to split it by
};

class Splitter {
 public:
  Splitter(const Graph& graph, std::size_t most) : graph_(graph), column_(columns_of_use(graph)), most_(most) {
    const std::vector<std::string_view> path_of_op = paths_of(graph, column_);
    std::unordered_map<std::string_view, std::size_t> position;
    for (const OpId op : graph.ops()) {
      const std::string_view path = path_of_op[index(op)];
      const auto [entry, is_new] = position.try_emplace(path, paths_.size());
      if (is_new) paths_.push_back({path, {}});
      paths_[entry->second].ops.push_back(op);
    }
    Group all;
    for (std::size_t i = 0; i < paths_.size(); ++i) all.paths.push_back(i);
    all.ops = num_ops_ = graph.num_ops();
    groups_.push_back(std::move(all));
  }

  Lanes split() {
    while (split_largest()) {
    }
    Lanes lanes;
    lanes.of.assign(num_ops_, 0);
    for (const Group& group : groups_) {
      std::vector<OpId> ops;
      for (const std::size_t path : group.paths)
        ops.insert(ops.end(), paths_[path].ops.begin(), paths_[path].ops.end());
      add_lanes(group, ops, lanes);
    }
    return lanes;
  }

 private:
  bool split_largest() {
    Group* largest = nullptr;
    for (Group& group : groups_) {
      if (!group.final && (largest == nullptr || group.ops > largest->ops)) largest = &group;
    }
    if (largest == nullptr || largest->ops * kSmallestShare < num_ops_) return false;
    std::map<std::string_view, Group> parts;  // sorted, so that lanes do not depend on hashes
    for (const std::size_t path : largest->paths) {
      const std::string_view prefix = one_word_longer(paths_[path].text, largest->prefix.size());
      Group& part = parts[prefix];
      part.prefix = prefix;
      part.paths.push_back(path);
      part.ops += paths_[path].ops.size();
    }
    largest->is_one_path = parts.size() == 1 && parts.begin()->first == largest->prefix;
    if (largest->is_one_path || groups_.size() - 1 + parts.size() > most_) return largest->final = true;
    groups_.erase(groups_.begin() + (largest - groups_.data()));
    for (auto& [prefix, part] : parts) groups_.push_back(std::move(part));
    return true;
  }

  // One lane, or several by position if most of the graph is in this one.
  void add_lanes(const Group& group, std::span<const OpId> ops, Lanes& lanes) const {
    std::vector<std::uint32_t> cuts;
    if (group.is_one_path && 2 * group.ops > num_ops_) {
      cuts = find_stretches(graph_, ops, column_, std::min(kMostStretches, most_ + 1 - groups_.size()));
    }
    std::vector<OpId> first(cuts.size() + 1, kNoOp);
    for (const OpId op : ops) {
      const auto stretch = std::ranges::upper_bound(cuts, column_[index(op)]) - cuts.begin();
      lanes.of[index(op)] = static_cast<std::uint32_t>(lanes.names.size() + static_cast<std::size_t>(stretch));
      OpId& at = first[static_cast<std::size_t>(stretch)];
      if (at == kNoOp || rank(op) < rank(at)) at = op;
    }
    for (const OpId op : first) {
      lanes.names.push_back(cuts.empty() ? std::string(group.prefix) : fmt::format("from {}", graph_.name(op)));
    }
  }

  // Compute ops before others, since the name of a weight says little; then from left to right.
  [[nodiscard]] std::pair<bool, std::uint32_t> rank(OpId op) const {
    return {graph_.role(op) != Role::kCompute, column_[index(op)]};
  }

  const Graph& graph_;
  const std::vector<std::uint32_t> column_;
  std::size_t most_, num_ops_ = 0;
  std::vector<Path> paths_;
  std::vector<Group> groups_;
};

}  // namespace

Lanes find_lanes(const Graph& graph, std::size_t most) { return Splitter(graph, most).split(); }

}  // namespace berth::report

// SPDX-License-Identifier: Apache-2.0
#include "report/lanes.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>

namespace berth::report {
namespace {

constexpr std::string_view kSeparators = "./";
constexpr std::size_t kSmallestShare =
    10;  // parts below a tenth of the ops stay whole: of twelve layers none is split, not some

// Where an op belongs: its module, else its name up to the last slash.
std::string_view path_of(const Graph& graph, OpId op) {
  if (!graph.module(op).empty()) return graph.module(op);
  const std::string_view name = graph.name(op);
  const std::size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : name.substr(0, slash);
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
  bool final = false;
};

class Splitter {
 public:
  Splitter(const Graph& graph, std::size_t most) : most_(most) {
    std::unordered_map<std::string_view, std::size_t> position;
    for (const OpId op : graph.ops()) {
      const std::string_view path = path_of(graph, op);
      const auto [entry, is_new] = position.try_emplace(path, paths_.size());
      if (is_new) paths_.push_back({path, {}});
      paths_[entry->second].ops.push_back(op);
    }
    Group all;
    for (std::size_t i = 0; i < paths_.size(); ++i) all.paths.push_back(i);
    all.ops = num_ops_ = graph.num_ops();
    groups_.push_back(std::move(all));
  }

  Lanes split(const Graph& graph) {
    while (split_largest()) {
    }
    Lanes lanes;
    lanes.of.assign(graph.num_ops(), 0);
    for (const Group& group : groups_) {
      for (const std::size_t path : group.paths) {
        for (const OpId op : paths_[path].ops) lanes.of[index(op)] = static_cast<std::uint32_t>(lanes.names.size());
      }
      lanes.names.emplace_back(group.prefix);
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
    const bool is_same = parts.size() == 1 && parts.begin()->first == largest->prefix;
    if (is_same || groups_.size() - 1 + parts.size() > most_) return largest->final = true;
    groups_.erase(groups_.begin() + (largest - groups_.data()));
    for (auto& [prefix, part] : parts) groups_.push_back(std::move(part));
    return true;
  }

  std::size_t most_, num_ops_ = 0;
  std::vector<Path> paths_;
  std::vector<Group> groups_;
};

}  // namespace

Lanes find_lanes(const Graph& graph, std::size_t most) { return Splitter(graph, most).split(graph); }

}  // namespace berth::report

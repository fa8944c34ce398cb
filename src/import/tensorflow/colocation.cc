// SPDX-License-Identifier: Apache-2.0
#include "import/tensorflow/colocation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/disjoint_sets.h"
#include "graph/builder.h"

namespace berth::tensorflow {
namespace {

constexpr std::string_view kMark = "loc:@";
constexpr std::size_t kMostWords = 64;  // of one node: inlining repeats them, each with a name in front

struct Group {
  std::optional<std::uint32_t> leader;
  std::uint32_t times_named = 0;
  std::size_t kept = 0;
  std::string_view device;
  bool devices_differ = false;
};

class Grouping {
 public:
  explicit Grouping(const FlatGraph& graph) : graph_(graph), sets_(graph.nodes.size()), named_(graph.nodes.size(), 0) {
    by_name_.reserve(graph.nodes.size());
    for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) by_name_.emplace(graph.nodes[i].name, i);
    for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) join(i);
  }

  Colocation finish(const std::vector<char>& keeps) {
    std::vector<Group> groups(graph_.nodes.size());
    for (std::uint32_t i = 0; i < groups.size(); ++i) add(groups[sets_.root(i)], i, keeps[i] != 0);
    Colocation colocation;
    for (std::uint32_t i = 0; i < groups.size(); ++i) {
      const Group& group = groups[sets_.root(i)];
      const std::string_view own = graph_.nodes[i].device;
      colocation.group.push_back(group.kept > 1 ? std::string_view(graph_.nodes[*group.leader].name) : "");
      colocation.device.push_back(own.empty() && !group.devices_differ ? group.device : own);
    }
    return colocation;
  }

 private:
  // A name that no node has makes a group with others that name it, through the first of them.
  void join(std::uint32_t node) {
    std::vector<std::string_view> words = graph_.nodes[node].attributes().strings("_class");
    words.resize(std::min(words.size(), kMostWords));
    for (const std::string_view word : words) {
      if (!word.starts_with(kMark) || word.size() > kMaxNameLength) continue;
      std::string name = fmt::format("{}{}", graph_.nodes[node].prefix(), word.substr(kMark.size()));
      const auto found = by_name_.find(name);
      const std::uint32_t target =
          found != by_name_.end() ? found->second : strangers_.emplace(std::move(name), node).first->second;
      sets_.unite(node, target);
      if (target != node) ++named_[target];
    }
  }

  void add(Group& group, std::uint32_t node, bool keep) {
    const FlatNode& flat = graph_.nodes[node];
    if (!group.leader || named_[node] > group.times_named) {
      group.leader = node;
      group.times_named = named_[node];
    }
    if (keep && flat.kind != OpKind::kConstant && flat.kind != OpKind::kInput) ++group.kept;
    if (flat.device.empty() || flat.device == group.device) return;
    group.devices_differ = !group.device.empty();
    group.device = flat.device;
  }

  const FlatGraph& graph_;
  DisjointSets sets_;
  std::vector<std::uint32_t> named_;  // how often
  std::unordered_map<std::string_view, std::uint32_t> by_name_;
  std::unordered_map<std::string, std::uint32_t> strangers_;
};

}  // namespace

Colocation find_colocation(const FlatGraph& graph, const std::vector<char>& keeps) {
  return Grouping(graph).finish(keeps);
}

}  // namespace berth::tensorflow

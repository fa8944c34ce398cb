// SPDX-License-Identifier: Apache-2.0
#include "learn/grouping/simple.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "learn/grouping/labels.h"
#include "plan/coarsen/heavy_grouping.h"
#include "plan/coarsen/join_to_count.h"

namespace berth::learn {
namespace {

// Groups for every kind of unit: in proportion to their number, at least one each.
std::map<DeviceSet, std::size_t> share_groups(const Problem& problem, std::size_t groups) {
  std::map<DeviceSet, std::size_t> units, shares;
  for (std::uint32_t unit = 0; unit < problem.num_units(); ++unit) ++units[problem.unit_allowed(unit)];
  std::size_t left = groups > units.size() ? groups - units.size() : 0;
  for (const auto& [allowed, number] : units) shares[allowed] = 1 + left * number / problem.num_units();
  for (const auto& [allowed, share] : shares) groups -= std::min(groups, share);
  const auto most = std::ranges::max_element(units, {}, [](const auto& kind) { return kind.second; });
  if (most != units.end()) shares[most->first] += groups;  // what rounding left
  return shares;
}

// The first `levels` parts of a dotted path.
std::string_view cut_path(std::string_view path, std::size_t levels) {
  std::size_t end = 0;
  for (; levels > 0 && end < path.size(); --levels) {
    end = std::min(path.find('.', end == 0 ? 0 : end + 1), path.size());
  }
  return path.substr(0, end);
}

struct Modules {
  std::vector<std::uint32_t> label;  // per op
  std::size_t count = 0;
};

Modules modules_at(const Graph& graph, std::size_t levels) {
  Modules modules{std::vector<std::uint32_t>(graph.num_ops(), kNoLabel)};
  std::unordered_map<std::string_view, std::uint32_t> numbers;
  for (const OpId op : graph.ops()) {
    const std::string_view path = cut_path(graph.module(op), levels);
    if (path.empty()) continue;
    modules.label[index(op)] = numbers.try_emplace(path, static_cast<std::uint32_t>(numbers.size())).first->second;
  }
  modules.count = numbers.size();
  return modules;
}

std::size_t deepest_level(const Graph& graph) {
  std::size_t deepest = 0;
  for (const OpId op : graph.ops()) {
    deepest = std::max(deepest, 1 + static_cast<std::size_t>(std::ranges::count(graph.module(op), '.')));
  }
  return deepest;
}

}  // namespace

Grouping random_grouping(const Problem& problem, std::size_t groups, std::uint64_t seed) {
  const std::map<DeviceSet, std::size_t> shares = share_groups(problem, groups);
  std::map<DeviceSet, std::size_t> first;
  std::size_t next = 0;
  for (const auto& [allowed, share] : shares) first[allowed] = std::exchange(next, next + share);
  Rng rng(seed);
  std::vector<std::uint32_t> label(problem.graph().num_ops());
  for (std::uint32_t unit = 0; unit < problem.num_units(); ++unit) {
    const DeviceSet allowed = problem.unit_allowed(unit);
    const auto group = static_cast<std::uint32_t>(first.at(allowed) + rng.below(shares.at(allowed)));
    for (const OpId op : problem.unit_ops(unit)) label[index(op)] = group;
  }
  return join_to_count(problem, join_equal_labels(problem, one_group_per_unit(problem), label), groups);
}

Grouping module_grouping(const Problem& problem, std::size_t groups) {
  const Graph& graph = problem.graph();
  Modules modules{std::vector<std::uint32_t>(graph.num_ops(), kNoLabel)};
  for (std::size_t levels = deepest_level(graph); levels > 0; --levels) {
    Modules here = modules_at(graph, levels);
    if (here.count > groups) continue;
    modules = std::move(here);
    break;
  }
  const Grouping joined = join_labelled(problem, one_group_per_unit(problem), modules.label);
  return joined.size() <= groups ? joined : heavy_grouping(problem, joined, groups);
}

Grouping common_parts(const Problem& problem, const Grouping& a, const Grouping& b) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> numbers;
  std::vector<std::uint32_t> label(problem.graph().num_ops());
  for (std::uint32_t unit = 0; unit < problem.num_units(); ++unit) {
    const std::pair both(a.of_unit[unit], b.of_unit[unit]);
    const std::uint32_t number = numbers.try_emplace(both, static_cast<std::uint32_t>(numbers.size())).first->second;
    for (const OpId op : problem.unit_ops(unit)) label[index(op)] = number;
  }
  return join_equal_labels(problem, one_group_per_unit(problem), label);
}

}  // namespace berth::learn

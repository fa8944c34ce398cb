// SPDX-License-Identifier: Apache-2.0
#include "learn/colocation.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"
#include "learn/grouping/cells.h"
#include "learn/grouping/convs.h"
#include "learn/grouping/labels.h"
#include "learn/grouping/share.h"
#include "learn/grouping/simple.h"
#include "learn/grouping/sole.h"
#include "plan/coarsen/join_to_count.h"
#include "plan/partition/metis_groups.h"

namespace berth::learn {
namespace {

constexpr std::array<std::string_view, 5> kWholes{"none", "random", "metis", "modules", "heavy"};
constexpr std::array<std::string_view, 4> kHeuristics{"framework", "cells", "convs", "sole"};

Error unknown(std::string_view name) {
  std::vector<std::string_view> known(kWholes.begin(), kWholes.end());
  known.insert(known.end(), kHeuristics.begin(), kHeuristics.end());
  return bad_input(
      "no grouping named '{}'{} (none, random, metis, modules, heavy, or framework, cells, convs, sole "
      "joined by +)",
      name, did_you_mean(name, known));
}

Result<Grouping> whole_grouping(const Problem& problem, std::string_view how, std::size_t groups, std::uint64_t seed) {
  if (how == "none") return one_group_per_unit(problem);
  if (groups == 0) return bad_input("grouping '{}' needs a number of groups", how);
  if (how == "random") return random_grouping(problem, groups, seed);
  if (how == "metis") return metis_groups(problem, groups, seed);
  if (how == "modules") return module_grouping(problem, groups);
  return heavy_grouping(problem, join_views(problem, one_group_per_unit(problem)), groups);
}

Grouping apply_heuristics(const Problem& problem, const std::vector<std::string_view>& names, std::size_t groups) {
  const auto has = [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); };
  const Graph& graph = problem.graph();
  Grouping grouping = one_group_per_unit(problem);
  if (has("framework")) grouping = join_gradients(problem, grouping);
  if (has("cells")) grouping = join_labelled(problem, grouping, cell_labels(graph));
  if (has("convs")) grouping = join_labelled(problem, grouping, conv_labels(graph));
  if (!has("sole")) return grouping;
  const auto join_sole = [&](const GroupLimits& limits) {
    return join_sole_consumers(problem, grouping, limits, has("framework"));
  };
  return groups == 0 ? join_sole({}) : join_within_share(problem, grouping, groups, join_sole);
}

}  // namespace

Result<Grouping> fixed_grouping(const Problem& problem, std::string_view how, std::size_t groups, std::uint64_t seed) {
  if (std::ranges::find(kWholes, how) != kWholes.end()) return whole_grouping(problem, how, groups, seed);
  const std::vector<std::string_view> names = split(how, '+');
  for (const std::string_view name : names) {
    if (std::ranges::find(kHeuristics, name) == kHeuristics.end()) return unknown(name);
  }
  Grouping grouping = apply_heuristics(problem, names, groups);
  return groups == 0 ? grouping : join_to_count(problem, grouping, groups);
}

}  // namespace berth::learn

// SPDX-License-Identifier: Apache-2.0
#include "learn/grouping/fixed.h"

#include <algorithm>
#include <ranges>
#include <vector>

#include "base/sole_number.h"
#include "learn/grouping/cells.h"
#include "learn/grouping/convs.h"
#include "learn/grouping/labels.h"
#include "learn/grouping/simple.h"
#include "plan/coarsen/group_joiner.h"
#include "plan/coarsen/heavy_grouping.h"
#include "plan/coarsen/join_to_count.h"
#include "plan/partition/metis_groups.h"

namespace berth::learn {
namespace {

constexpr std::size_t kMostGroups = 256, kGroupsPerDevice = 20;

// Co-placement within a limit: an op whose outputs go to one other group alone joins it, to a fixed point, from the
// sinks. With `gradients_follow` ops that are the gradient of another (Graph::forward_of) do not count, neither as ops
// nor as readers, as in Baechi, which plans the forward pass alone: together with their forward ops they would tie each
// layer to the one before, and the whole model would become one group.
Grouping join_sole_consumers(const Problem& problem, const Grouping& finer, const GroupLimits& limits,
                             bool gradients_follow) {
  if (!gradients_follow) return join_only_consumers(problem, finer, limits);
  const Graph& graph = problem.graph();
  std::vector<OpId> counted;
  for (const OpId op : graph.topological_order() | std::views::reverse) {
    if (graph.forward_of(op) == kNoOp && graph.updated_parameter(op) == kNoOp) counted.push_back(op);
  }
  GroupJoiner joiner(problem, finer, limits);
  for (bool changed = true; changed;) {
    changed = false;
    for (const OpId op : counted) {
      const std::uint32_t own = joiner.root(finer.of(problem, op));
      SoleNumber only;
      for (const TensorId tensor : graph.outputs(op)) {
        for (const OpId consumer : graph.consumers(tensor)) {
          if (graph.forward_of(consumer) != kNoOp || graph.updated_parameter(consumer) != kNoOp) continue;
          const std::uint32_t group = joiner.root(finer.of(problem, consumer));
          if (group != own) only.see(group);
        }
      }
      if (only.exists()) changed |= joiner.join(own, only.number());
    }
  }
  return joiner.finish();
}

Grouping apply_heuristics(const Problem& problem, const std::vector<Heuristic>& wanted, std::size_t groups) {
  const auto has = [&](Heuristic one) { return std::ranges::find(wanted, one) != wanted.end(); };
  const Graph& graph = problem.graph();
  Grouping grouping = one_group_per_unit(problem);
  if (has(Heuristic::kFramework)) grouping = join_gradients(problem, grouping);
  if (has(Heuristic::kCells)) grouping = join_labelled(problem, grouping, cell_labels(graph));
  if (has(Heuristic::kConvs)) grouping = join_labelled(problem, grouping, conv_labels(graph));
  if (!has(Heuristic::kSole)) return grouping;
  const auto join_sole = [&](const GroupLimits& limits) {
    return join_sole_consumers(problem, grouping, limits, has(Heuristic::kFramework));
  };
  return groups == 0 ? join_sole({}) : join_within_share(problem, grouping, groups, join_sole);
}

}  // namespace

Result<Grouping> fixed_grouping(const Problem& problem, const GroupingRule& rule, std::size_t groups,
                                std::uint64_t seed) {
  using Kind = GroupingRule::Kind;
  if (rule.kind == Kind::kNone) return one_group_per_unit(problem);
  if (rule.kind == Kind::kHeuristics) {
    Grouping grouping = apply_heuristics(problem, rule.heuristics, groups);
    return groups == 0 ? grouping : join_to_count(problem, grouping, groups);
  }
  if (groups == 0) return bad_input("grouping '{}' needs a number of groups", text_of(rule));
  if (rule.kind == Kind::kRandom) return random_grouping(problem, groups, seed);
  if (rule.kind == Kind::kMetis) return metis_groups(problem, groups, seed);
  if (rule.kind == Kind::kModules) return module_grouping(problem, groups);
  return heavy_grouping(problem, join_views(problem, one_group_per_unit(problem)), groups);
}

std::size_t usual_groups(const Problem& problem, int wanted) {
  if (wanted > 0) return static_cast<std::size_t>(wanted);
  return std::min(kMostGroups, kGroupsPerDevice * problem.machine().num_devices());
}

}  // namespace berth::learn

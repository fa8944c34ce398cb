// SPDX-License-Identifier: Apache-2.0
#include "plan/partition/metis_groups.h"

#if BERTH_METIS
#include "plan/coarsen/join_to_count.h"
#include "plan/partition/cut_graph.h"
#include "plan/partition/metis.h"
#include "plan/search/placement.h"

namespace berth {

Result<Grouping> metis_groups(const Problem& problem, std::size_t groups, std::uint64_t seed) {
  const Grouping units = one_group_per_unit(problem);
  if (groups < 2 || units.size() <= groups) return join_to_count(problem, units, groups);
  BERTH_TRY(const CutGraph graph, make_cut_graph(problem, units, worker_devices(problem)));
  if (graph.size() == 0) return join_to_count(problem, units, groups);
  const std::vector<double> equal(groups, 1.0 / static_cast<double>(groups));
  MetisOptions options{.imbalance = 0.2, .all_parts_at_once = true};
  options.seed = static_cast<std::int32_t>(seed % 1'000'000'007);
  BERTH_TRY(const std::vector<std::int32_t> part_of, cut_with_metis(graph, {equal, equal}, options));
  std::vector<std::uint32_t> label(problem.graph().num_ops(), static_cast<std::uint32_t>(groups));
  std::vector<std::uint32_t> vertex_of(units.size(), 0xffffffffU);
  for (std::uint32_t vertex = 0; vertex < graph.size(); ++vertex) vertex_of[graph.group_of[vertex]] = vertex;
  for (const OpId op : problem.graph().ops()) {
    const std::uint32_t vertex = vertex_of[problem.unit(op)];
    if (vertex != 0xffffffffU) label[index(op)] = static_cast<std::uint32_t>(part_of[vertex]);
  }
  return join_to_count(problem, join_equal_labels(problem, units, label), groups);
}

}  // namespace berth
#else
namespace berth {

Result<Grouping> metis_groups(const Problem&, std::size_t, std::uint64_t) {
  return bad_input("groups by METIS need METIS, which is left out of this build; heavy and modules need nothing");
}

}  // namespace berth
#endif

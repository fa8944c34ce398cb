// SPDX-License-Identifier: Apache-2.0
#include "plan/list/m_sct.h"

#include "plan/list/baechi_groups.h"
#include "plan/list/earliest_task_first.h"
#include "plan/list/favourite_children.h"

namespace berth {

Result<Plan> MSctPlanner::plan(Search& search) {
  const Grouping grouping = baechi_groups(search.problem());
  const FavouriteChildren favourites = favourite_children(search);
  Result<Plan> plan = with_memory_passes(search, "m-sct", 1.0, [&](double share) {
    return schedule_earliest_first(search, grouping, {.memory_share = share, .favourite_child = favourites.child_of});
  });
  search.set_note(search.note().empty() ? favourites.note : fmt::format("{}; {}", favourites.note, search.note()));
  return plan;
}

}  // namespace berth

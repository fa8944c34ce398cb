// SPDX-License-Identifier: Apache-2.0
#include "plan/list/m_etf.h"

#include "plan/list/baechi_groups.h"
#include "plan/list/earliest_task_first.h"

namespace berth {

Result<Plan> MEtfPlanner::plan(Search& search) {
  const Grouping grouping = baechi_groups(search.problem());
  return with_memory_passes(search, "m-etf", 1.0, [&](double share) {
    return schedule_earliest_first(search, grouping, {.memory_share = share});
  });
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include "learn/go/tasks.h"

namespace berth::learn {

GoTasks go_tasks(const GoOptions& options) {
  return {options.tasks.placement, options.tasks.schedule, options.tasks.fusion,
          options.priorities == Priorities::kPlackettLuce, options.ties == Ties::kCriticalPath};
}

}  // namespace berth::learn

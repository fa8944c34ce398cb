// SPDX-License-Identifier: Apache-2.0
#include "learn/go/tasks.h"

#include "base/text.h"

namespace berth::learn {

GoTasks go_tasks(const Options& options) {
  GoTasks tasks{false, false, false, options.priorities == "plackett-luce", options.ties == "critical-path"};
  for (const std::string_view task : split(options.tasks, '+')) {
    tasks.placement = tasks.placement || task == "placement";
    tasks.schedule = tasks.schedule || task == "schedule";
    tasks.fusion = tasks.fusion || task == "fusion";
  }
  return tasks;
}

}  // namespace berth::learn

// SPDX-License-Identifier: Apache-2.0
// What `go` decides, read from its options once.
#pragma once

#include "runs/methods/go.h"

namespace berth::learn {

struct GoTasks {
  bool placement = true, schedule = false, fusion = false;
  bool ordered = false;       // the schedule is an order of all nodes (Plackett-Luce), not a level for each
  bool critical_path = true;  // ops of one level by critical path, else as they become ready
};
GoTasks go_tasks(const GoOptions& options);

}  // namespace berth::learn

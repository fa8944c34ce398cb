// SPDX-License-Identifier: Apache-2.0
// Plans run for real: how, and the session that does it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/units.h"
#include "services/caller.h"

namespace berth {

class MeasureSession;  // measure/session.h

struct MeasuringRequest {
  std::string program = {};     // that runs plans in a process of its own: berth or berth-learned
  std::string devices = {};     // what stands for the machine's devices; empty: as the machine has them
  int runs = 10, profiles = 1;  // steps per plan, and further steps in which every op is timed
  double limit_s = 60.0;        // a plan that takes longer in all has failed
  double enough_s = 0.0;        // once steps after the first took this long, four are enough; 0: all are made
  Bytes memory_limit = 0;       // of the process; 0: none
};

// Starts the process that runs plans of this graph's file. Problem and caller must outlive the session.
Result<std::unique_ptr<MeasureSession>> open_session(const std::string& graph, const Problem& problem,
                                                     const MeasuringRequest& request, const Caller& caller);

}  // namespace berth

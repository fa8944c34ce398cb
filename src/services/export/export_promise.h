// SPDX-License-Identifier: Apache-2.0
// What the runtime of an export makes of a plan, where it keeps other rules than the simulator: it loads weights once,
// where they are read, and sends none during a step; OpenVINO's HETERO runs one region of ops after the other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "export/exporter.h"
#include "problem/weights.h"
#include "services/plan/outcome.h"

namespace berth {

struct ExportPromise {
  CrossingWeights sent = {};            // weights that the plan sends in a step
  CrossingWeights shared = {};          // those of them that several devices read: the runtime has a copy on each
  Outcome planned = {}, resident = {};  // the plan as it is, and with every weight where it is read
  struct Hetero {
    double region_cost_s = 0.0;
    Outcome outcome = {};  // of the resident plan
    std::optional<Outcome> single = {};
  };
  std::optional<Hetero> hetero = {};
};

// Nothing for formats that no runtime runs, and for objectives without a step.
Result<std::optional<ExportPromise>> promise_of(const Problem& problem, const Plan& plan, const ExportFormat& format);

std::vector<std::string> promise_notes(const ExportPromise& promise, const Problem& problem,
                                       const ExportFormat& format);

}  // namespace berth

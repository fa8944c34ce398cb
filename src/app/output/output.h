// SPDX-License-Identifier: Apache-2.0
// What the commands print for people about plans.
#pragma once

#include <optional>
#include <string>

#include "app/output/table.h"
#include "services/compare/compare.h"
#include "services/plan/outcome.h"
#include "services/plan/place.h"
#include "sim/timeline.h"

namespace berth::app {

// "20.6 ms to 33.9 ms"
std::string range_text(const StepRange& range);
// "nmt-4 on k40x4: 46,600 ops, 71,234 edges, 9 units ..."
std::string headline(const Problem& problem);
// "gpu3 9.10 GiB (81 %)": the device or pool whose memory is fullest.
std::string fullest_memory(const Problem& problem, const Score& score);

// The whole page about one plan. `single` is the best single device's outcome, when it is known; `before` is that on
// the machine as it is, where the request changed it.
std::string outcome_page(const Problem& problem, const Outcome& outcome, const std::optional<Outcome>& single,
                         const CostsSummary& costs = {}, const std::optional<Unchanged>& before = std::nullopt);
// One row a planner, best first, and whether one device alone is as good.
std::string comparison_table(const LoadedProblem& loaded, const Comparison& comparison);
std::string comparison_page(const CompareAnswer& answer);
// One line per event, in order of time.
std::string timeline_text(const Problem& problem, const Timeline& timeline);

}  // namespace berth::app

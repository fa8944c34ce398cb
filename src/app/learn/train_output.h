// SPDX-License-Identifier: Apache-2.0
// What `berth train` prints at its end.
#pragma once

#include <optional>
#include <string>

#include "app/costs.h"
#include "app/learn/training.h"
#include "app/outcome.h"

namespace berth::app {

struct TrainReport {
  const RunConfig& config;
  const Problem& problem;
  const CostsSummary& costs;
  const RunFolder& folder;
  const Trained& trained;
  const std::optional<Outcome>& single;
  Picoseconds bound;
  int ranks = 1;
};

// The best plan as an outcome; one with an error if there is none.
Outcome outcome_of(const TrainReport& report);
std::string train_page(const TrainReport& report, const Outcome& outcome);
std::string train_json(const TrainReport& report, const Outcome& outcome);

}  // namespace berth::app

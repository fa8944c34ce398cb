// SPDX-License-Identifier: Apache-2.0
// What `berth train` prints at its end.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "app/learn/training.h"
#include "services/plan/outcome.h"
#include "services/problem/problem_request.h"

namespace berth::app {

struct TrainReport {
  const RunConfig& config;
  std::span<const Subject> subjects;
  const CostsSummary& costs;  // of the first
  const RunFolder& folder;
  const Trained& trained;
  std::span<const std::optional<Outcome>> singles;
  int ranks = 1;
};

// The best plan of a lesson as an outcome; one with an error if there is none.
Outcome outcome_of(const TrainReport& report, std::size_t lesson);
// One outcome per lesson.
std::string train_page(const TrainReport& report, std::span<const Outcome> outcomes);
// "berth train --resume RUN --budget 60s": four times as long as it has had.
std::string more_time(const RunConfig& config, const Trained& trained, const std::string& run);
std::string train_json(const TrainReport& report, std::span<const Outcome> outcomes);

}  // namespace berth::app

// SPDX-License-Identifier: Apache-2.0
// TrainedRun: what --policy RUN names, read and checked.
#pragma once

#include <optional>
#include <string>

#include "problem/problem.h"
#include "runs/checkpoint.h"
#include "runs/run_config.h"

namespace berth::learn {

struct TrainedRun {
  std::string given;  // as the user calls it: a folder, or a policy that comes with berth
  RunConfig config;
  Checkpoint checkpoint;

  // "trained after 40 updates"
  [[nodiscard]] std::string name() const;
  // An error if this policy is for another problem, or its best plan is none for this one.
  [[nodiscard]] Status check(const Problem& problem) const;
  // The best plan of the run, if it has learned from this very problem.
  [[nodiscard]] std::optional<Plan> known_plan(const Problem& problem) const;
};

// The folder of a run if there is one, else a policy that comes with berth: policies/NAME of the sources, each a run of
// `berth train` without its logs.
Result<TrainedRun> load_trained(const std::string& given);

}  // namespace berth::learn

// SPDX-License-Identifier: Apache-2.0
// What somebody asks of a training run: one that begins, and what may change when one goes on. Both end as the run's
// config (runs/run_config.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "runs/run_config.h"

namespace berth::learn {

struct NewRun {
  std::vector<std::string> graphs, machines = {};  // every graph on every machine; GRAPH@MACHINE: on that one
  ProblemWords problem = {};                       // what all share; paths may be relative
  std::string planner = "hierarchical", preset = "default";
  std::vector<std::string> options = {};  // NAME=VALUE, on top of the preset
  std::string reward = {};                // empty: as the options say
  std::optional<double> env_noise = {};   // the same
  std::uint64_t seed = 1;
  int threads = 1;
  std::string policy_device = "cpu";
  bool tensorboard = false, async = false;
  Limits limits = {};
};

// Without the hashes, which take the problems themselves. Files get absolute paths, so that the run can go on from any
// folder. Errors name the flag that makes no sense.
Result<RunConfig> config_of(const NewRun& run);

// Nothing but this may change when a run goes on.
struct RunChanges {
  Limits limits = {};              // all 0: they stay
  int threads = 0;                 // 0: they stay
  std::string policy_device = {};  // empty: it stays
  bool tensorboard = false;        // false: it stays
};
void apply(const RunChanges& changes, RunConfig& config);

// The options of a method's preset, some of them set anew by NAME=VALUE.
Result<Options> options_of(std::string_view method, std::string_view preset_name,
                           const std::vector<std::string>& assignments);

}  // namespace berth::learn

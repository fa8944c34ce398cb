// SPDX-License-Identifier: Apache-2.0
// The flags of `berth train`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/flags/options.h"
#include "app/learned.h"

namespace berth::app {

struct TrainFlags {
  std::vector<std::string> graphs, machines;  // every graph on every machine; GRAPH@MACHINE: on that one
  ProblemFlags problem;                       // what all share
  std::string planner = "hierarchical";
  LearnedFlags learned;
  SearchFlags search = {.budget = "10min"};
  std::uint64_t updates = 0;  // 0: no limit
  std::string reward;         // empty: as the options say
  std::optional<double> env_noise;
  bool tensorboard = false, async = false, json = false;
  std::string rank_timeout = "60s", checkpoint_every = "60s";
  std::string output, resume;  // one of them is the run
  // Flags that were given, as the user knows them: which limits count, and what --resume refuses.
  std::vector<std::string> given = {};

  [[nodiscard]] bool is_given(std::string_view flag) const;
};

}  // namespace berth::app

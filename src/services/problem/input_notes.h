// SPDX-License-Identifier: Apache-2.0
// What is said about the input, since it may mislead: sizes that had to be assumed, names that did not match, demands
// that leave no room. The caller is told at once, and every answer carries them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/lowered.h"
#include "problem/cost/measured_costs.h"
#include "services/caller.h"

namespace berth {

struct InputNotes {
  std::vector<std::string> warnings = {};                  // "warning: ...", "note: ..."
  std::map<std::string, std::int64_t> assumed_sizes = {};  // dimensions of a model that nobody gave a size

  void add(const std::vector<std::string>& more, Caller& caller);
};

// What a model's file leaves open, which makes every number too small; and what is no part of the step.
std::vector<std::string> warnings_about(const std::string& path, const std::optional<LowerReport>& report);
std::map<std::string, std::int64_t> assumed_sizes(const std::optional<LowerReport>& report);
// Names and devices of measured times that are not there.
std::vector<std::string> warnings_about(const CostsReport& report);

// "12 saving and restoring, 3 initialising": nodes of the file that are no part of the step. Empty if all are.
std::string left_out_text(const LowerReport& report);

}  // namespace berth

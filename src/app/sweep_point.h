// SPDX-License-Identifier: Apache-2.0
// What `berth sweep` goes over, and what a problem is at one value of it.
#pragma once

#include <string>
#include <vector>

#include "app/options.h"
#include "base/result.h"

namespace berth::app {

struct Sweep {
  std::string name;                 // "devices", "batch", "link.*.bandwidth"
  std::vector<std::string> values;  // at least one
  // What a step at this value is worth: its samples if the sweep is over batch sizes, else 1.
  [[nodiscard]] double weight(const std::string& value) const;
};

// "devices=1,2,4"
Result<Sweep> parse_sweep(const std::string& text);

// The flags with that value: a number of accelerators, a figure of the machine (a name with a dot), a parameter of a
// zoo model, or an open size of a model's file.
Result<ProblemFlags> problem_at(const ProblemFlags& flags, const Sweep& sweep, const std::string& value);

}  // namespace berth::app

// SPDX-License-Identifier: Apache-2.0
// Measured ops, as the fit sees them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "problem/cost/op_features.h"

namespace berth::fit {

struct Sample {
  OpFeatures features;
  double seconds = 0.0;   // measured
  std::size_t graph = 0;  // index into SampleSet::graphs
  std::string twin;       // type and features: ops with equal text cannot be told apart by the model
};

struct SampleSet {
  std::vector<std::string> graphs;  // names, in the order of the files
  std::vector<Sample> samples;
};

// Every op that the model prices and that was measured on the device model. Errors name the file.
Result<SampleSet> load_samples(std::span<const std::string> paths, const std::string& device_model);

enum class Twins : std::uint8_t { kDrop, kKeep };

// Samples for a fit that must know nothing of the held-out graphs: not their ops and, unless kept, no twins of them
// elsewhere.
std::vector<Sample> training_samples(const SampleSet& set, std::span<const std::size_t> held_out, Twins twins);

}  // namespace berth::fit

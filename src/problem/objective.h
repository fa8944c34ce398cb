// SPDX-License-Identifier: Apache-2.0
// Objective: what a plan is judged by. Score::step_time is its value for either.
#pragma once

#include <cstdint>
#include <string_view>

namespace berth {

enum class Objective : std::uint8_t {
  kStep,      // time of one step, simulated
  kPipeline,  // time per sample of a full pipeline: the largest load of a device (sim/pipeline.h)
};

constexpr std::string_view objective_name(Objective objective) {
  return objective == Objective::kStep ? "step" : "pipeline";
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
// What methods can be told whose updates draw whole plans (learn/train/trainer.h). Not every one of them has all of it:
// its fields say.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "runs/options/training.h"

namespace berth::learn {

// What rewards are compared with: their moving average, the mean of the update's other plans, nothing.
enum class BaselineKind : std::uint8_t { kMoving, kBatch, kNone };

// Which steps of an episode a reward is credited to (learn/train/learner.h).
enum class Credit : std::uint8_t { kPlan, kDiscounted, kShared };

struct SamplingOptions : TrainingOptions {
  int groupings = 2, placements = 8;  // an update measures groupings x placements plans
  double noise = 0.0;                 // of exploration, until update noise_updates
  int noise_updates = 0;
  int valid_only_after = 0;  // from this update on only plans that fit count; 0: never
  BaselineKind baseline = BaselineKind::kBatch;
  bool baseline_fails = false;  // the moving average begins with the failing signal
  double near_best = 0.0;       // share of updates whose plans are the best one with a few choices changed
  Credit credit = Credit::kPlan;
  double step_discount = 0.95;  // of credit
  bool refuse_single = false;   // a plan on one device counts as failing

  bool operator==(const SamplingOptions&) const = default;
};

// What the two numbers are differs from method to method, and so does the help.
std::vector<FieldOf<SamplingOptions>> plans_fields(std::string_view groupings, std::string_view placements);
std::vector<FieldOf<SamplingOptions>> noise_fields();
std::vector<FieldOf<SamplingOptions>> baseline_fields();
std::vector<FieldOf<SamplingOptions>> episode_fields();  // near-best, credit, step-discount, refuse-single

// Takes away what no publication has and this project added.
void without_additions(SamplingOptions& options);

}  // namespace berth::learn

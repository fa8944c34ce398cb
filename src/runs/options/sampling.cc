// SPDX-License-Identifier: Apache-2.0
#include "runs/options/sampling.h"

namespace berth::learn {
std::vector<FieldOf<SamplingOptions>> plans_fields(std::string_view groupings, std::string_view placements) {
  using F = Fields<SamplingOptions>;
  using O = SamplingOptions;
  return {
      F::whole("groupings", groupings, &O::groupings, 1, 4'096),
      F::whole("placements", placements, &O::placements, 1, 4'096),
  };
}

std::vector<FieldOf<SamplingOptions>> noise_fields() {
  using F = Fields<SamplingOptions>;
  using O = SamplingOptions;
  return {
      F::real("noise", "deviation of what is added to logits, as a share of their size", &O::noise, 0, 100),
      F::whole("noise-updates", "updates with that noise", &O::noise_updates, 0, kMany),
  };
}

std::vector<FieldOf<SamplingOptions>> baseline_fields() {
  using F = Fields<SamplingOptions>;
  using O = SamplingOptions;
  return {
      F::whole("valid-only-after", "updates after which only plans that fit count; 0: never", &O::valid_only_after, 0,
               kMany),
      F::word("baseline", "rewards are compared with: moving (average), batch (mean of the other plans), none",
              &O::baseline, {"moving", "batch", "none"}),
      F::on_off("baseline-fails", "that average begins with the reward of a failing plan", &O::baseline_fails),
  };
}

std::vector<FieldOf<SamplingOptions>> episode_fields() {
  using F = Fields<SamplingOptions>;
  using O = SamplingOptions;
  return {
      F::real("near-best", "share of updates whose plans are the best one with a few clusters changed", &O::near_best,
              0, 1),
      F::word("credit", "rewards count for: plan (their own step), discounted, shared (all steps)", &O::credit,
              {"plan", "discounted", "shared"}),
      F::real("step-discount", "discount of credit", &O::step_discount, 0, 1),
      F::on_off("refuse-single", "a plan on one device counts as failing", &O::refuse_single),
  };
}

void without_additions(SamplingOptions& options) {
  options.start_by_speed = false;
  options.entropy = options.entropy_end = 0.0;
  options.entropy_updates = 0;
  options.scale_advantage = false;
  options.baseline = BaselineKind::kMoving;
  options.reward = {RewardKind::kSqrt, FailingKind::kConstant, 100.0};
}

}  // namespace berth::learn

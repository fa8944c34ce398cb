// SPDX-License-Identifier: Apache-2.0
#include "runs/methods/colocrl.h"

#include "runs/methods/info.h"

namespace berth::learn {
namespace {

GroupingRule all_heuristics() {
  return {GroupingRule::Kind::kHeuristics,
          {Heuristic::kFramework, Heuristic::kSole, Heuristic::kCells, Heuristic::kConvs}};
}

std::vector<FieldOf<ColocrlOptions>> colocrl_fields() { return {grouping_field<ColocrlOptions>()}; }

Hints colocrl_hints(const Options& options) {
  const auto& own = std::get<ColocrlOptions>(options);
  return {more_placements(own), own.groups == 1 ? "" : "--option grouping=heavy", "--option groups=256"};
}

}  // namespace

ColocrlOptions colocrl_default() {
  ColocrlOptions options;
  options.grouping = all_heuristics();
  options.groups = 0;      // as many as the paper has for such a model
  options.attention = 16;  // up to 280 groups look at one another
  options.groupings = 1;   // there is one
  return options;
}

// Its sizes and rates are not known to us: where nothing else is said, they are those of the later paper by the same
// authors.
ColocrlOptions colocrl_paper() {
  ColocrlOptions options;
  static_cast<PlacementOptions&>(options) = hierarchical_paper();
  options.grouping = all_heuristics();
  options.groups = 0;
  options.hidden = options.attention = 256;                 // chosen
  options.tanh_constant = 5.0, options.temperature = 10.0;  // chosen
  options.placements = 4;                                   // 4 or 8 workers per controller
  options.noise = 0.0, options.noise_updates = 0;           // none is reported
  options.valid_only_after = 5000;                          // unverified
  options.baseline_fails = true;
  return options;
}

MethodInfo Colocrl::info() {
  return {.name = "colocrl",
          .summary = "recurrent policy over colocation groups (2017)",
          .why_not_general = "it numbers op types as that graph does and has an output for each device",
          .fields = fields_of<Options>(colocrl_fields(), groups_field(), placement_fields()),
          .presets = {{"default", colocrl_default()}, {"paper", colocrl_paper()}},
          .plain = Options(),
          .hints = colocrl_hints};
}

}  // namespace berth::learn

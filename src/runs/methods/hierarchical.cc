// SPDX-License-Identifier: Apache-2.0
// Presets here and beside: `default` is what works best here within minutes. `paper` and `google` hold the figures of
// the publications and of Google's open-source code; what these do not say is marked as chosen.
#include "runs/methods/hierarchical.h"

#include "runs/methods/info.h"

namespace berth::learn {
namespace {

std::vector<FieldOf<HierarchicalOptions>> learned_or_given_field() {
  constexpr std::string_view kLearned = "learned";
  const auto set = [=](HierarchicalOptions& own, std::string_view text) -> Status {
    if (text == kLearned) {
      own.grouping.reset();
      return {};
    }
    BERTH_TRY(own.grouping, grouping_from(text, {kLearned}));
    return {};
  };
  const auto get = [=](const HierarchicalOptions& own) {
    return own.grouping ? text_of(*own.grouping) : std::string(kLearned);
  };
  return {{"grouping",
           "who forms groups of ops: learned, none, random, metis, modules, heavy, or any of framework, sole, cells, "
           "convs joined by +",
           set, get}};
}

std::vector<FieldOf<HierarchicalOptions>> start_fields() {
  using F = Fields<HierarchicalOptions>;
  using O = HierarchicalOptions;
  return {
      F::whole("clusters", "the Grouper decides on so many clusters of ops per group; 0: on single ops", &O::clusters,
               0, 1'000),
      F::word("start", "where the Grouper begins: none (anywhere), heavy (groups grown along heavy tensors)", &O::start,
              {"none", "heavy"}),
      F::real("start-weight", "logit of the group an op begins with", &O::start_weight, 0, 100),
  };
}

// What to try where all ops are in one group; empty where that was asked for.
std::string apart_hint(const HierarchicalOptions& own) {
  if (own.groups == 1) return "";
  if (own.grouping) return "--option grouping=learned or --option grouping=heavy";
  return fmt::format("--option rate={:.2g} or --option start=heavy", own.rate / 5.0);
}

Hints hierarchical_hints(const Options& options) {
  const auto& own = std::get<HierarchicalOptions>(options);
  return {more_placements(own), apart_hint(own), "--option groups=256"};
}

// A Grouper as it was published: nobody says where it begins, and it decides on single ops.
HierarchicalOptions as_published() {
  HierarchicalOptions options;
  without_additions(options);
  options.clusters = 0;
  options.start = GrouperStart::kNone;
  options.start_weight = 0.0;
  return options;
}

}  // namespace

HierarchicalOptions hierarchical_default() { return {}; }

HierarchicalOptions hierarchical_paper() {
  HierarchicalOptions options = as_published();
  options.groups = 256;
  options.type_feature = TypeFeature::kEmbedding;
  options.type_size = 20, options.max_types = 200;
  options.outputs = 6, options.dims = 4;
  options.neighbours = NeighbourFeature::kSlots;
  options.neighbour_slots = 6;
  options.grouper_hidden = 64;
  options.grouper_activation = GrouperActivation::kTanh;  // chosen
  options.hidden = options.attention = 256;  // "hidden 256" may mean each direction, so that the decoder had 512
  options.tanh_constant = 5.0, options.temperature = 10.0;
  options.adjacency = Adjacency::kBinary;
  options.groupings = 1, options.placements = 4;
  options.rate = 0.1, options.rate_decay = 1.0;
  options.clip = 1.0;
  options.noise = 0.1, options.noise_updates = 500;  // the size is unverified
  options.valid_only_after = 500;
  options.baseline_decay = 0.9;  // chosen, as in Google's code
  options.baseline_fails = false;
  return options;
}

// tensorflow/python/grappler/hierarchical_controller.py, without its defects.
HierarchicalOptions hierarchical_google() {
  HierarchicalOptions options = as_published();
  options.groups = 0;  // min(256, 20 x devices)
  options.type_feature = TypeFeature::kIndex;
  options.outputs = 5, options.dims = 5;
  options.neighbours = NeighbourFeature::kSigned;
  options.neighbour_slots = 10;
  options.grouper_hidden = 64;
  options.grouper_activation = GrouperActivation::kNone;
  options.hidden = options.attention = 512;
  options.tanh_constant = 1.0, options.temperature = 1.0;
  options.adjacency = Adjacency::kCounts;
  options.groupings = 1, options.placements = 1;
  options.rate = 0.1, options.rate_decay = 0.95;
  options.decay_after = 400, options.decay_every = 50;
  options.clip = 1.0;
  options.noise = 0.5, options.noise_updates = 750;
  options.valid_only_after = 1000;
  options.baseline_decay = 0.9;
  options.baseline_fails = true;
  return options;
}

MethodInfo Hierarchical::info() {
  return {.name = "hierarchical",
          .summary = "grouper and placer trained together (2018)",
          .why_not_general = "it has a learned row for each cluster of that graph's ops and an output for each device",
          .fields = fields_of<Options>(learned_or_given_field(), groups_field(), start_fields(), placement_fields()),
          .presets = {{"default", hierarchical_default()},
                      {"paper", hierarchical_paper()},
                      {"google", hierarchical_google()}},
          .plain = Options(),
          .hints = hierarchical_hints};
}

}  // namespace berth::learn

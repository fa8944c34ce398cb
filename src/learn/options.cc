// SPDX-License-Identifier: Apache-2.0
#include "learn/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "learn/option_kinds.h"

namespace berth::learn {
namespace {

constexpr std::array<std::string_view, 6> kGroupings{"learned", "none", "random", "metis", "modules", "heavy"};
constexpr std::array<std::string_view, 4> kHeuristics{"framework", "sole", "cells", "convs"};
constexpr int kMany = 1'000'000'000;

// One of the groupings, or heuristics joined by '+', each at most once.
Status set_grouping(Options& options, std::string_view text) {
  const std::vector<std::string_view> parts = split(text, '+');
  if (parts.size() == 1 && std::find(kGroupings.begin(), kGroupings.end(), text) != kGroupings.end()) {
    options.grouping = text;
    return {};
  }
  Words known(kHeuristics.begin(), kHeuristics.end());
  if (parts.size() == 1) known.insert(known.begin(), kGroupings.begin(), kGroupings.end());
  for (auto part = parts.begin(); part != parts.end(); ++part) {
    BERTH_RETURN_IF_ERROR(check_word("grouping", *part, known));
    if (std::find(parts.begin(), part, *part) != part) return bad_input("grouping: '{}' is there twice", *part);
  }
  options.grouping = text;
  return {};
}

Field grouping_field() {
  return {"grouping",
          "who forms groups of ops: learned, none, random, metis, modules, heavy, or any of framework, sole, cells, "
          "convs joined by +",
          set_grouping, [](const Options& options) { return options.grouping; }};
}

Field reward_field() {
  const auto set = [](Options& options, std::string_view text) -> Status {
    BERTH_RETURN_IF_ERROR(check_word("reward", text, Words{"time", "sqrt", "log", "inverse"}));
    options.reward.kind = *reward_from_name(text);
    return {};
  };
  return {"reward", "what a time t is worth: time (-t), sqrt (-sqrt t), log (-log(1 + t)), inverse (1 / t)", set,
          [](const Options& options) { return std::string(name_of(options.reward.kind)); }};
}

Field failing_field() {
  const auto set = [](Options& options, std::string_view text) -> Status {
    BERTH_RETURN_IF_ERROR(check_word("failing", text, Words{"constant", "graded"}));
    options.reward.failing = *failing_from_name(text);
    return {};
  };
  return {"failing", "what a plan that does not fit counts as: constant (failing-s), graded (twice its time and more)",
          set, [](const Options& options) { return std::string(name_of(options.reward.failing)); }};
}

Field failing_s_field() {
  const auto set = [](Options& options, std::string_view text) -> Status {
    BERTH_TRY(options.reward.failing_s, parse_real("failing-s", text, 1e-6, 1e6));
    return {};
  };
  return {"failing-s", "seconds that stand for a plan that does not fit, if failing=constant", set,
          [](const Options& options) { return fmt::format("{}", options.reward.failing_s); }};
}

void add_grouper_fields(std::vector<Field>& fields) {
  using O = Options;
  fields.insert(fields.end(), {
    grouping_field(),
    whole_field("groups", "most groups; 0: as the model and the machine say", &O::groups, 0, 65'536),
    switch_field("join-first", "the Grouper decides on small clusters of ops, not on single ops", &O::join_first),
    word_field("start", "where the Grouper begins: anywhere, or with groups grown along heavy tensors", &O::start,
               {"none", "heavy"}),
    real_field("start-weight", "logit of the group an op begins with", &O::start_weight, 0, 100),
    word_field("type-feature", "how the type of an op is seen", &O::type_feature, {"embedding", "index", "none"}),
    whole_field("type-size", "numbers of the embedding of a type", &O::type_size, 1, 4'096),
    whole_field("max-types", "types with an embedding of their own: the most common", &O::max_types, 1, 100'000),
    whole_field("outputs", "output shapes of an op that are seen; 0: none", &O::outputs, 0, 64),
    whole_field("dims", "sizes of each of these shapes that are seen; 0: none", &O::dims, 0, 32),
    word_field("neighbours", "how neighbours of an op are seen: slots (a few indices in and out), signed (a few with "
               "their side, as in Google's code), aggregate (all of them), none", &O::neighbours,
               {"slots", "signed", "aggregate", "none"}),
    whole_field("neighbour-slots", "of slots: as many in and as many out; of signed: in all", &O::neighbour_slots, 1,
                1'024),
    switch_field("cost-features", "flops and bytes of an op are seen", &O::cost_features),
    switch_field("device-features", "speed, memory and links of devices are seen", &O::device_features),
    whole_field("grouper-hidden", "width of the Grouper's hidden layer", &O::grouper_hidden, 1, 16'384),
    word_field("grouper-activation", "of that layer", &O::grouper_activation, {"tanh", "none"}),
  });
}

void add_placer_fields(std::vector<Field>& fields) {
  using O = Options;
  fields.insert(fields.end(), {
    word_field("placer", "the network that places groups", &O::placer, {"lstm", "transformer", "feed-forward"}),
    whole_field("hidden", "width of the decoder; each direction of the encoder has half", &O::hidden, 2, 16'384, 2),
    whole_field("attention", "width of the scores of attention", &O::attention, 1, 16'384),
    real_field("tanh-constant", "C of C tanh(l / T), the bound of logits", &O::tanh_constant, 0.001, 1'000),
    real_field("temperature", "T of C tanh(l / T)", &O::temperature, 0.001, 1'000),
    word_field("adjacency", "edges between groups are seen as counts, binary, or not at all", &O::adjacency,
               {"counts", "binary", "none"}),
    switch_field("group-types", "how many ops of each type a group has is seen", &O::group_types),
    switch_field("group-shapes", "the sum of a group's output shapes is seen", &O::group_shapes),
    switch_field("start-by-speed", "devices begin with the share of their speed, not all alike", &O::start_by_speed),
  });
}

void add_training_fields(std::vector<Field>& fields) {
  using O = Options;
  fields.insert(fields.end(), {
    whole_field("groupings", "m: groupings sampled for an update", &O::groupings, 1, 4'096),
    whole_field("placements", "k: placements sampled for each of them", &O::placements, 1, 4'096),
    real_field("rate", "learning rate of Adam", &O::rate, 0, 10),
    real_field("rate-decay", "the rate is multiplied by this every decay-every updates", &O::rate_decay, 0, 1),
    whole_field("decay-after", "updates before the rate begins to fall", &O::decay_after, 0, kMany),
    whole_field("decay-every", "updates between two steps of the rate", &O::decay_every, 1, kMany),
    real_field("clip", "gradients are scaled down to this norm", &O::clip, 1e-6, 1e6),
    real_field("entropy", "weight of the entropy bonus at the start", &O::entropy, 0, 100),
    real_field("entropy-end", "its weight from update entropy-updates on", &O::entropy_end, 0, 100),
    whole_field("entropy-updates", "updates on the way from one to the other", &O::entropy_updates, 0, kMany),
    real_field("noise", "deviation of what is added to logits, as a share of their size", &O::noise, 0, 100),
    whole_field("noise-updates", "updates with that noise", &O::noise_updates, 0, kMany),
    whole_field("valid-only-after", "updates after which only plans that fit count", &O::valid_only_after, 0, kMany),
    real_field("baseline-decay", "of the moving average that rewards are compared with", &O::baseline_decay, 0, 1),
    switch_field("baseline-fails", "that average begins with the reward of a failing plan", &O::baseline_fails),
    switch_field("scale-advantage", "advantages are divided by the deviation of their update", &O::scale_advantage),
    reward_field(),
    failing_field(),
    failing_s_field(),
    real_field("env-noise", "times are multiplied by exp(this x normal), as on a noisy machine", &O::env_noise, 0, 10),
  });
}

std::vector<Field> all_fields() {
  std::vector<Field> fields;
  add_grouper_fields(fields);
  add_placer_fields(fields);
  add_training_fields(fields);
  return fields;
}

}  // namespace

const std::vector<Field>& option_fields() {
  static const std::vector<Field> kFields = all_fields();
  return kFields;
}

Status set_option(Options& options, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string_view name = trim(assignment.substr(0, equals));
  Words names;
  for (const Field& field : option_fields()) {
    names.push_back(field.name);
    if (field.name != name) continue;
    if (equals == std::string_view::npos) return bad_input("option '{}' needs a value: {}=VALUE", name, name);
    return field.set(options, trim(assignment.substr(equals + 1)));
  }
  return bad_input("no option named '{}'{}", name, did_you_mean(name, names));
}

}  // namespace berth::learn

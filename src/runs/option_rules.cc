// SPDX-License-Identifier: Apache-2.0
// Fields of options with rules of their own: how ops are grouped, and what plans are worth.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "runs/option_kinds.h"

namespace berth::learn {
namespace {

constexpr std::array<std::string_view, 6> kGroupings{"learned", "none", "random", "metis", "modules", "heavy"};
constexpr std::array<std::string_view, 4> kHeuristics{"framework", "sole", "cells", "convs"};

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

}  // namespace

Field grouping_field() {
  return {"grouping",
          "who forms groups of ops: learned, none, random, metis, modules, heavy, or any of framework, sole, cells, "
          "convs joined by +",
          set_grouping, [](const Options& options) { return options.grouping; }};
}

Field reward_field() {
  const auto set = [](Options& options, std::string_view text) -> Status {
    BERTH_RETURN_IF_ERROR(check_word("reward", text, Words{"time", "sqrt", "log", "inverse", "log-time"}));
    options.reward.kind = *reward_from_name(text);
    return {};
  };
  return {"reward",
          "what a time t is worth: time (-t), sqrt (-sqrt t), log (-log(1 + t)), inverse (1 / t), log-time (-log t)",
          set, [](const Options& options) { return std::string(name_of(options.reward.kind)); }};
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

}  // namespace berth::learn

// SPDX-License-Identifier: Apache-2.0
#include "runs/options/grouping.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace berth::learn {
namespace {

// In the order of their enumerators.
constexpr std::array<std::string_view, 5> kKinds{"none", "random", "metis", "modules", "heavy"};
constexpr std::array<std::string_view, 4> kHeuristics{"framework", "sole", "cells", "convs"};

}  // namespace

Result<GroupingRule> grouping_from(std::string_view text, const Words& other_words) {
  const auto kind = std::ranges::find(kKinds, text);
  if (kind != kKinds.end()) return GroupingRule{static_cast<GroupingRule::Kind>(kind - kKinds.begin())};
  const std::vector<std::string_view> parts = split(text, '+');
  Words known(kHeuristics.begin(), kHeuristics.end());
  if (parts.size() == 1) {
    known.insert(known.begin(), kKinds.begin(), kKinds.end());
    known.insert(known.begin(), other_words.begin(), other_words.end());
  }
  GroupingRule rule{GroupingRule::Kind::kHeuristics};
  for (const std::string_view part : parts) {
    BERTH_RETURN_IF_ERROR(parse_word("grouping", part, known));
    BERTH_TRY(const std::size_t which, parse_word("grouping", part, kHeuristics));
    const auto heuristic = static_cast<Heuristic>(which);
    if (std::ranges::find(rule.heuristics, heuristic) != rule.heuristics.end())
      return bad_input("grouping: '{}' is there twice", part);
    rule.heuristics.push_back(heuristic);
  }
  return rule;
}

std::string text_of(const GroupingRule& rule) {
  if (rule.kind != GroupingRule::Kind::kHeuristics) return std::string(kKinds[static_cast<std::size_t>(rule.kind)]);
  std::vector<std::string> names;
  for (const Heuristic heuristic : rule.heuristics)
    names.emplace_back(kHeuristics[static_cast<std::size_t>(heuristic)]);
  return join(names, "+");
}

}  // namespace berth::learn

// SPDX-License-Identifier: Apache-2.0
// GroupingRule: who forms the groups of ops that a policy places, where these are not learned (learn/grouping/fixed.h
// says how).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "runs/options/field.h"

namespace berth::learn {

// Heuristics of ColocRL.
enum class Heuristic : std::uint8_t { kFramework, kSole, kCells, kConvs };

struct GroupingRule {
  enum class Kind : std::uint8_t { kNone, kRandom, kMetis, kModules, kHeavy, kHeuristics };
  Kind kind = Kind::kNone;
  std::vector<Heuristic> heuristics = {};  // each once, in the order in which they were named; of kHeuristics alone

  bool operator==(const GroupingRule&) const = default;
};

// "none", "heavy", ..., or heuristics joined by +: "framework+cells". Errors name `other_words`, which the option takes
// besides, too.
Result<GroupingRule> grouping_from(std::string_view text, const Words& other_words = {});
std::string text_of(const GroupingRule& rule);

// The option `grouping` of a struct that has a member of that name.
template <typename Own>
FieldOf<Own> grouping_field() {
  const auto set = [](Own& own, std::string_view text) -> Status {
    BERTH_TRY(own.grouping, grouping_from(text));
    return {};
  };
  return {
      "grouping",
      "who forms groups of ops: none, random, metis, modules, heavy, or any of framework, sole, cells, convs joined by "
      "+",
      set, [](const Own& own) { return text_of(own.grouping); }};
}

}  // namespace berth::learn

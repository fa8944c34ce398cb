// SPDX-License-Identifier: Apache-2.0
#include "export/lost.h"

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "files/json/json_reader.h"

namespace berth {

void NamedSome::add(std::string_view name) {
  if (count_ < first_.size()) first_[count_] = name;
  ++count_;
}

std::string NamedSome::text(std::string_view one, std::string_view many) const {
  std::string names;
  for (std::size_t i = 0; i < std::min<std::uint64_t>(count_, first_.size()); ++i) {
    names += fmt::format("{}{}", i > 0 ? ", " : "", in_quotes(first_[i]));
  }
  return fmt::format("{} {} ({}{})", group_digits(count_), count_ == 1 ? one : many, names,
                     count_ > first_.size() ? ", ..." : "");
}

void note_order_and_fusions(const Plan& plan, std::string_view who, std::vector<std::string>& notes) {
  std::string lost =
      plan.priority.empty() ? "" : fmt::format("the priorities of {}", counted(plan.priority.size(), "op"));
  if (!plan.fusions.empty()) {
    std::uint64_t members = 0;
    for (const auto& fusion : plan.fusions) members += fusion.size();
    lost += fmt::format("{}{} of {}", lost.empty() ? "" : " and ", counted(plan.fusions.size(), "fusion"),
                        counted(members, "op"));
  }
  if (!lost.empty()) notes.push_back(fmt::format("{} are left to {}", lost, who));
}

}  // namespace berth

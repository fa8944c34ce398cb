// SPDX-License-Identifier: Apache-2.0
#include "model/shapes/rules.h"

#include "base/text.h"

namespace berth {

RuleTable::RuleTable(std::initializer_list<std::span<const RuleRow>> themes) {
  constexpr std::string_view kBehindDomain = ": ";
  for (const std::span<const RuleRow> rows : themes) {
    for (const RuleRow& row : rows) {
      const std::size_t colon = row.types.find(kBehindDomain);
      const bool has_domain = colon != std::string_view::npos;
      const std::string domain = has_domain ? std::string(row.types.substr(0, colon)) + "." : std::string();
      const std::string_view types = row.types.substr(has_domain ? colon + kBehindDomain.size() : 0);
      for (const std::string_view type : split(types, ' ')) by_type_.emplace(domain + std::string(type), row.rule);
    }
  }
}

Rule RuleTable::find(const std::string& type) const {
  const auto found = by_type_.find(type);
  return found != by_type_.end() ? found->second : nullptr;
}

}  // namespace berth

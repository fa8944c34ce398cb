// SPDX-License-Identifier: Apache-2.0
#include "import/plans/ort_settings.h"

#include <algorithm>

#include "base/text.h"
#include "files/json/json_reader.h"

namespace berth {

Result<OrtSettings> OrtSettings::parse(std::string_view text, bool by_name) {
  OrtSettings settings;
  settings.by_name_ = by_name;
  for (const std::string_view piece : split(text, ';')) {
    const std::string_view entry = trim(piece);
    if (entry.empty()) continue;
    const std::size_t open = entry.find('(');
    if (open == std::string_view::npos || !entry.ends_with(')')) {
      return bad_input("{} is no rule for layers; write device(pattern, pattern); ...", in_quotes(entry));
    }
    const std::string device(trim(entry.substr(0, open)));
    if (device.empty()) return bad_input("the rule {} names no device", in_quotes(entry));
    for (const std::string_view word : split(entry.substr(open + 1, entry.size() - open - 2), ',')) {
      std::string_view pattern = trim(word);
      const bool is_exact = pattern.starts_with('=');
      if (is_exact) pattern = trim(pattern.substr(1));
      if (pattern.empty()) return bad_input("the rule {} has an empty pattern", in_quotes(entry));
      if (is_exact && by_name) {
        return bad_input("the rule {}: rules for names take no '='", in_quotes(entry));
      }
      settings.rules_.push_back({device, std::string(pattern), is_exact});
    }
  }
  if (settings.rules_.empty()) return bad_input("it has no rule for layers; write device(pattern, pattern); ...");
  return settings;
}

std::optional<std::string> OrtSettings::device_for(std::string_view text) const {
  const Rule* best = nullptr;
  for (const Rule& rule : rules_) {
    if (by_name_) {
      const bool is_inside = text.find(rule.pattern) != std::string_view::npos;
      if (is_inside && (best == nullptr || rule.pattern.size() > best->pattern.size())) best = &rule;
    } else if (rule.is_exact ? text == rule.pattern : text.starts_with(rule.pattern)) {
      if (best == nullptr || (best->is_exact && !rule.is_exact)) best = &rule;
    }
  }
  return best != nullptr ? std::optional(best->device) : std::nullopt;
}

}  // namespace berth

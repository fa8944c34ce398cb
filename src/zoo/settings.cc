// SPDX-License-Identifier: Apache-2.0
#include "zoo/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace berth {

std::string ParameterInfo::default_text() const { return is_number() ? fmt::format("{}", number) : std::string(word); }

std::string ParameterInfo::allowed_text() const {
  if (is_number()) return fmt::format("{} to {}", min, max);
  std::string text;
  const std::vector<std::string_view> all = split(words, '|');
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0) text += i + 1 < all.size() ? ", " : " or ";
    text += all[i];
  }
  return text;
}

Settings::Settings(std::span<const ParameterInfo> parameters) {
  for (const ParameterInfo& info : parameters) {
    values_.emplace(info.name, Value{&info, info.number, std::string(info.word)});
  }
}

const Settings::Value& Settings::value(std::string_view name) const {
  const auto found = values_.find(name);
  BERTH_CHECK(found != values_.end());
  return found->second;
}

std::int64_t Settings::number(std::string_view name) const { return value(name).number; }
const std::string& Settings::word(std::string_view name) const { return value(name).word; }

Status Settings::set(std::string_view model, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string_view name = trim(assignment.substr(0, equals));
  if (equals == std::string_view::npos) {
    return bad_input("zoo:{}: '{}' is no parameter=value pair", model, assignment);
  }
  const auto found = values_.find(name);
  if (found == values_.end()) {
    std::vector<std::string> names;
    for (const auto& [known, unused] : values_) names.push_back(known);
    return bad_input("zoo:{} has no parameter '{}'{} (it has: {})", model, name, did_you_mean(name, names),
                     join(names, ", "));
  }
  Value& value = found->second;
  const std::string_view text = trim(assignment.substr(equals + 1));
  if (std::exchange(value.given, true)) return bad_input("zoo:{}: parameter '{}' is given twice", model, name);
  if (value.info->is_number()) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value.number);
    const bool whole = error == std::errc() && end == text.data() + text.size() && !text.empty();
    if (whole && value.number >= value.info->min && value.number <= value.info->max) return {};
    return bad_input("zoo:{}: {}={} is no whole number from {}", model, name, text, value.info->allowed_text());
  }
  const std::vector<std::string_view> words = split(value.info->words, '|');
  if (std::find(words.begin(), words.end(), text) == words.end()) {
    return bad_input("zoo:{}: {}={} must be {}{}", model, name, text, value.info->allowed_text(),
                     did_you_mean(text, words));
  }
  value.word = text;
  return {};
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include "runs/options/field.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"

namespace berth::learn {
namespace {

template <typename Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

// What users typed, cut to a length that fits a line.
std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  return fmt::format("'{}{}'", text.substr(0, kLongest), text.size() > kLongest ? "..." : "");
}

}  // namespace

std::string listed(std::span<const std::string_view> words) { return fmt::format("{}", fmt::join(words, ", ")); }

std::string text_of(int number) { return fmt::format("{}", number); }
std::string text_of(double number) { return fmt::format("{}", number); }

Result<int> parse_whole(std::string_view name, std::string_view text, int low, int high, int step) {
  const std::optional<int> number = number_of<int>(text);
  if (number && *number >= low && *number <= high && *number % step == 0) return *number;
  return bad_input("{}: expected {} from {} to {}, found {}", name, step == 2 ? "an even number" : "a whole number",
                   low, high, quoted(text));
}

Result<double> parse_real(std::string_view name, std::string_view text, double low, double high) {
  const std::optional<double> number = number_of<double>(text);
  if (number && *number >= low && *number <= high) return *number;  // false for not-a-number
  return bad_input("{}: expected a number from {} to {}, found {}", name, low, high, quoted(text));
}

Result<bool> parse_switch(std::string_view name, std::string_view text) {
  for (const std::string_view on : {"on", "true", "yes", "1"})
    if (text == on) return true;
  for (const std::string_view off : {"off", "false", "no", "0"})
    if (text == off) return false;
  return bad_input("{}: expected on or off, found {}", name, quoted(text));
}

Result<std::size_t> parse_word(std::string_view name, std::string_view text, std::span<const std::string_view> words) {
  const auto found = std::ranges::find(words, text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  return bad_input("{}: expected one of {}; found {}{}", name, listed(words), quoted(text), did_you_mean(text, words));
}

}  // namespace berth::learn

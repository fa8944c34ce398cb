// SPDX-License-Identifier: Apache-2.0
#include "model/attribute_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "graph/builder.h"

namespace berth {
namespace {

constexpr std::size_t kMostLetters = 96;  // of a name, and of a text
constexpr std::size_t kMostItems = 16;    // of a list
constexpr std::size_t kRoomForRest = 32;  // "and 4,294,967,295 more"

bool is_for_people(std::string_view name) { return !name.starts_with('_') && !name.starts_with("body_"); }

// In one line, and as UTF-8, whatever it was: graph files hold nothing else.
std::string shortened(std::string_view text) {
  std::string line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t character = utf8_length(text, at), size = std::max<std::size_t>(character, 1);
    if (line.size() + size > kMostLetters) return line + "...";
    const bool is_control = character == 1 && (text[at] < 0x20 || text[at] == 0x7f);
    line += is_control ? " " : character == 0 ? "?" : text.substr(at, size);
    at += size;
  }
  return line;
}

std::string text_of(std::int64_t number) { return fmt::format("{}", number); }

// Most files hold single precision: 1e-05, not 9.999999747378752e-06.
std::string text_of(double number) {
  const auto single = static_cast<float>(number);
  return static_cast<double>(single) == number ? fmt::format("{}", single) : fmt::format("{}", number);
}

std::string text_of(const std::string& text) { return text.empty() ? "\"\"" : shortened(text); }

template <typename T>
std::string text_of(const std::vector<T>& list) {
  std::string text;
  std::size_t shown = 0;
  for (; shown < std::min(list.size(), kMostItems) && text.size() < kMostLetters; ++shown) {
    text += (shown == 0 ? "" : ", ") + text_of(list[shown]);
  }
  if (shown == list.size()) return fmt::format("[{}]", text);
  return fmt::format("[{}, ...] ({} in all)", text, group_digits(list.size()));
}

}  // namespace

std::string attribute_text(std::span<const std::pair<std::string, Attribute>> attributes) {
  std::string text;
  std::size_t left_out = 0;
  for (const auto& [name, value] : attributes) {
    if (!is_for_people(name)) continue;
    const std::string line = fmt::format("{}{} = {}", text.empty() ? "" : "\n", shortened(name),
                                         std::visit([](const auto& held) { return text_of(held); }, value));
    if (left_out > 0 || text.size() + line.size() + kRoomForRest > kMaxAttributesLength) {
      ++left_out;
    } else {
      text += line;
    }
  }
  if (left_out > 0) text += fmt::format("\nand {} more", group_digits(left_out));
  return text;
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

namespace berth {
namespace {

bool is_continuation(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U;
}

// One that no program should print: C0, DEL, C1.
bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return first < 0x20U || first == 0x7fU;
  return first == 0xc2U && static_cast<unsigned char>(character[1]) < 0xa0U;
}

// Bytes at the front that stay as they are; 0 if the first cannot.
std::size_t kept_at_front(std::string_view text, std::span<const std::string_view> kept) {
  for (const std::string_view code : kept) {
    if (text.starts_with(code)) return code.size();
  }
  const std::size_t size = utf8_length(text, 0);
  return size > 0 && is_control(text.substr(0, size)) ? 0 : size;
}

}  // namespace

std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  if (lead < 0x80U) return 1;
  if (lead < 0xc2U || lead > 0xf4U || !is_continuation(text, at + 1)) return 0;
  if (lead < 0xe0U) return 2;
  const unsigned char second = byte(at + 1);
  if ((lead == 0xe0U && second < 0xa0U) || (lead == 0xedU && second > 0x9fU)) return 0;
  if ((lead == 0xf0U && second < 0x90U) || (lead == 0xf4U && second > 0x8fU)) return 0;
  if (!is_continuation(text, at + 2)) return 0;
  if (lead < 0xf0U) return 3;
  return is_continuation(text, at + 3) ? 4 : 0;
}

std::string printable(std::string_view text, std::span<const std::string_view> kept) {
  std::string result;
  while (!text.empty()) {
    const std::size_t size = kept_at_front(text, kept);
    if (size > 0) {
      result += text.substr(0, size);
    } else {
      result += text.front() == '\n' || text.front() == '\t' ? ' ' : '?';
    }
    text.remove_prefix(size > 0 ? size : 1);
  }
  return result;
}

}  // namespace berth

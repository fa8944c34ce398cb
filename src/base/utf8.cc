// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

namespace berth {
namespace {

bool is_continuation(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U;
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

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
// Characters of text from outside, which may be none.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace berth {

// Bytes of the UTF-8 character that starts at `at`, 0 if there is none: overlong forms, surrogates and values beyond
// U+10FFFF are wrong too.
std::size_t utf8_length(std::string_view text, std::size_t at);

// Fit for one line of a terminal: line breaks and tabs become blanks, other control characters and bytes that are not
// UTF-8 become '?'. What is `kept` stays as it is.
std::string printable(std::string_view text, std::span<const std::string_view> kept = {});

}  // namespace berth

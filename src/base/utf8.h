// SPDX-License-Identifier: Apache-2.0
// Characters of text from outside, which may be none.
#pragma once

#include <cstddef>
#include <string_view>

namespace berth {

// Bytes of the UTF-8 character that starts at `at`, 0 if there is none: overlong forms, surrogates and values beyond
// U+10FFFF are wrong too.
std::size_t utf8_length(std::string_view text, std::size_t at);

}  // namespace berth

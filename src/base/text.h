// SPDX-License-Identifier: Apache-2.0
// Small helpers for words: near misses for error messages, splitting, trimming, counting; and characters of text from
// outside, which may be none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth {

// "; did you mean 'heft'?" when a candidate is a slip of the finger away, or has the word in it, else "". For errors.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

// Number of single-character edits (insert, delete, replace, swap of neighbours) between two words.
int edit_distance(std::string_view a, std::string_view b);

std::vector<std::string_view> split(std::string_view text, char separator);  // "a,,b" gives "a", "", "b"
std::string_view trim(std::string_view text);
std::string join(std::span<const std::string> words, std::string_view separator);
std::string counted(std::uint64_t number, std::string_view what);  // "1 device", "46,600 ops"

// Bytes of the UTF-8 character that starts at `at`, 0 if there is none: overlong forms, surrogates and values beyond
// U+10FFFF are wrong too.
std::size_t utf8_length(std::string_view text, std::size_t at);

// Fit for one line of a terminal: line breaks and tabs become blanks, other control characters and bytes that are not
// UTF-8 become '?'. What is `kept` stays as it is.
std::string printable(std::string_view text, std::span<const std::string_view> kept = {});

}  // namespace berth

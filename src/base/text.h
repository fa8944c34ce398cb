// SPDX-License-Identifier: Apache-2.0
// Small helpers for words: near misses for error messages, splitting, trimming, counting.
#pragma once

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

}  // namespace berth

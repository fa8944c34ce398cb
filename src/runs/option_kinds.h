// SPDX-License-Identifier: Apache-2.0
// The kinds of fields that options are made of: each reads its member from text, checks it, and writes it back.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runs/options.h"

namespace berth::learn {

using Words = std::vector<std::string_view>;

Field whole_field(std::string_view name, std::string_view help, int Options::*member, int low, int high, int step = 1);
Field real_field(std::string_view name, std::string_view help, double Options::*member, double low, double high);
Field switch_field(std::string_view name, std::string_view help, bool Options::*member);
Field word_field(std::string_view name, std::string_view help, std::string Options::*member, Words words);

// Those with rules of their own.
Field grouping_field();
Field reward_field();
Field failing_field();
Field failing_s_field();

// "expected one of a, b, c; found 'd'; did you mean 'c'?" unless the word is one of them.
Status check_word(std::string_view name, std::string_view word, std::span<const std::string_view> words);
// The whole text as a number between the two.
Result<double> parse_real(std::string_view name, std::string_view text, double low, double high);

// "a, b, c"
std::string listed(std::span<const std::string_view> words);

}  // namespace berth::learn

// SPDX-License-Identifier: Apache-2.0
// Words about plans that answers carry and every front shows alike.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "problem/problem.h"
#include "services/plan/outcome.h"

namespace berth {

// "a, b, c and 7 more": the first `most` words.
std::string some_of(const std::vector<std::string>& words, std::size_t most);
std::string percent(double share);  // "31 %", "0.4 %"
// After / before - 1; none unless both are known and before is more than nothing.
std::optional<double> relative_change(std::optional<double> before, std::optional<double> after);
std::string change_words(double share);  // "21 % less", "3 % more", "no change"
// How far a value is above the bound: "31 %", "none".
std::string gap_text(Picoseconds value, Picoseconds lower_bound);
// "out of memory: gpu0 is 3.20 GiB over its 12.0 GiB; its peak comes after 530 ms, at op 'softmax_3'", or that already
// what stays for the whole step does not fit. The outcome must have an overflow.
std::string overflow_words(const Problem& problem, const Outcome& outcome);
// The same with the way out.
std::string overflow_text(const Problem& problem, const Outcome& outcome);

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
// Short regular expressions for sets of numbers: {22, 23, ..., 30} -> "2[2-9]|30".
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace berth {

// An alternation (without brackets around it) that matches, as a whole, every number in `wanted`, and of all others
// below `end` only those for which `free` is true. Numbers have at most four digits.
std::string number_pattern(std::span<const std::int64_t> wanted, std::int64_t end,
                           const std::function<bool(std::int64_t)>& free);

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
// Sizes that exporters write as expressions of other sizes: "2*s77", "past + seq", "(s0 - 1)//2", "Max(1, s0)".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/sizes.h"

namespace berth {

struct SizeExpression {
  std::vector<std::string> names = {};  // in the order of the text, each once
  // None: a name has no size, or the result is none (negative). kTooLarge: it is beyond any size.
  std::optional<std::int64_t> value = {};
};

// Read are whole numbers, names (letters, digits, '_' and '.'), products, floor divisions, powers, parentheses, Max,
// Min, Mod, and sums with spaces around their signs, since "input-ids" is a name. Nothing if the text is anything else,
// or longer than any expression: then it is a name as a whole, whatever is in it.
std::optional<SizeExpression> read_size_expression(std::string_view text, const DimSizes& sizes);

// Whether the name stands in the text as a word of its own.
bool mentions(std::string_view text, std::string_view name);

}  // namespace berth

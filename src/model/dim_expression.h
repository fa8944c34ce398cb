// SPDX-License-Identifier: Apache-2.0
// Dimensions whose name is a formula of others, as exporters write them: "16*batch", "batch*(seq - 1)", "seq//2",
// "floor(seq/2)", "Max(1, seq)".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/sizes.h"

namespace berth {

// The size; nothing if a name in it has no size, if it is no formula, or if the result is no size. A name with odd
// characters is looked up as it stands before it is taken apart.
std::optional<std::int64_t> evaluate_dim(std::string_view expression, const DimSizes& sizes);

// Whether one of the names stands in the formula.
bool mentions(std::string_view expression, const DimSizes& names);

// Whether it is just a name: no numbers, no signs.
bool is_plain_name(std::string_view expression);

}  // namespace berth

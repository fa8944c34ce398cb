// SPDX-License-Identifier: Apache-2.0
// TensorFlow's data types.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/kinds.h"

namespace berth::tensorflow {

// "DT_FLOAT": 1, as written in text files; a reference to a variable ("DT_FLOAT_REF") is 100 more.
std::optional<std::int64_t> data_type_number(std::string_view name);

// None for strings, handles of resources and variants, whose size a graph does not tell. Unsigned numbers that we have
// no type for become the signed ones of their size.
std::optional<DType> dtype_of(std::int64_t data_type);

inline constexpr std::int64_t kInt32Type = 3, kInt64Type = 9;

}  // namespace berth::tensorflow

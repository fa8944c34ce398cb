// SPDX-License-Identifier: Apache-2.0
// Sizes of values, and the dimensions that are names.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "model/model.h"

namespace berth {

using DimSizes = std::map<std::string, std::int64_t>;

// Gives symbolic dimensions their sizes, wherever they stand and also inside formulas ("16*batch"). Symbols of inputs
// that the user gives no size are taken as 1, or as the size the export had; `assumed` counts the former by symbol, or by
// "input[axis]" where they have no name. Other values keep open what no size follows for: it is inferred.
void bind_dims(Model& model, const DimSizes& sizes, std::map<std::string, std::size_t>& assumed);

// Product of the dimensions; nothing if one is unknown or the product is beyond any tensor.
std::optional<std::int64_t> num_elements(const Shape& shape);

Shape shape_of(std::initializer_list<std::int64_t> sizes);

}  // namespace berth

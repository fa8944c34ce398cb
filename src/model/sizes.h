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

// Gives symbolic dimensions their sizes. Inputs without one are taken as 1; `assumed` counts them by symbol, or by
// "input[axis]" where they have no name. Other values forget what is not known: it is inferred anew.
void bind_dims(Model& model, const DimSizes& sizes, std::map<std::string, std::size_t>& assumed);

// Product of the dimensions; nothing if one is unknown or the product is beyond any tensor.
std::optional<std::int64_t> num_elements(const Shape& shape);

Shape shape_of(std::initializer_list<std::int64_t> sizes);

}  // namespace berth

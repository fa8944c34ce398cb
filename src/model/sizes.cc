// SPDX-License-Identifier: Apache-2.0
#include "model/sizes.h"

#include <fmt/format.h>

namespace berth {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 52;

}  // namespace

std::optional<std::int64_t> num_elements(const Shape& shape) {
  std::int64_t count = 1;
  for (const Dim& dim : shape) {
    if (!dim.known() || (dim.size > 0 && count > kMostElements / dim.size)) return std::nullopt;
    count *= dim.size;
  }
  return count;
}

Shape shape_of(std::initializer_list<std::int64_t> sizes) {
  Shape shape;
  for (const std::int64_t size : sizes) shape.push_back({size, {}});
  return shape;
}

void bind_dims(Model& model, const DimSizes& sizes, std::map<std::string, std::size_t>& assumed) {
  for (Value& value : model.values) {
    if (!value.shape) continue;
    for (Dim& dim : *value.shape) {
      const auto given = dim.symbol.empty() ? sizes.end() : sizes.find(dim.symbol);
      if (given != sizes.end()) dim.size = given->second;
    }
  }
  for (const Leaf& leaf : model.leaves) {
    Value& value = model.values[leaf.value];
    if (!value.shape) continue;
    for (std::size_t axis = 0; axis < value.shape->size(); ++axis) {
      Dim& dim = (*value.shape)[axis];
      if (dim.known()) continue;
      dim.size = 1;
      ++assumed[dim.symbol.empty() ? fmt::format("{}[{}]", value.name, axis) : dim.symbol];
    }
  }
}

}  // namespace berth

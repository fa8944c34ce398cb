// SPDX-License-Identifier: Apache-2.0
#include "model/sizes.h"

#include <fmt/format.h>

#include "model/dim_expression.h"

namespace berth {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 52;

template <typename Visit>
void for_each_dim(Value& value, Visit visit) {
  if (!value.shape) return;
  for (std::size_t axis = 0; axis < value.shape->size(); ++axis) visit((*value.shape)[axis], axis);
}

// Sizes that the file itself gives its symbols, where it has them for the export's example.
void add_hints(Model& model, DimSizes& known) {
  for (Value& value : model.values) {
    for_each_dim(value, [&](const Dim& dim, std::size_t) {
      if (dim.known() && is_plain_name(dim.symbol)) known.emplace(dim.symbol, dim.size);
    });
  }
}

// Sizes by name or formula, in subgraphs too. What has a size keeps it, unless the user gives another.
void bind_values(Model& model, const DimSizes& sizes, const DimSizes& known) {
  for (Value& value : model.values) {
    for_each_dim(value, [&](Dim& dim, std::size_t) {
      if (dim.symbol.empty() || (dim.known() && !mentions(dim.symbol, sizes))) return;
      if (const auto size = evaluate_dim(dim.symbol, known)) dim.size = *size;
    });
  }
  for (Node& node : model.nodes) {
    for (std::shared_ptr<const Body>& body : node.bodies) {
      auto bound = std::make_shared<Body>(*body);
      bind_values(bound->model, sizes, known);
      body = std::move(bound);
    }
  }
}

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
  DimSizes known = sizes, ones;
  add_hints(model, known);
  for (const Leaf& leaf : model.leaves) {
    for_each_dim(model.values[leaf.value], [&](const Dim& dim, std::size_t) {
      if (!dim.known() && is_plain_name(dim.symbol) && !known.contains(dim.symbol)) ones.emplace(dim.symbol, 1);
    });
  }
  known.insert(ones.begin(), ones.end());
  for (const Leaf& leaf : model.leaves) {
    Value& value = model.values[leaf.value];
    for_each_dim(value, [&](Dim& dim, std::size_t axis) {
      if (dim.known()) return;
      const auto size = evaluate_dim(dim.symbol, known);
      dim.size = size.value_or(1);
      if (size && !ones.contains(dim.symbol)) return;
      if (!dim.symbol.empty()) known.emplace(dim.symbol, 1), ones.emplace(dim.symbol, 1);
      ++assumed[dim.symbol.empty() ? fmt::format("{}[{}]", value.name, axis) : dim.symbol];
    });
  }
  bind_values(model, sizes, known);
}

}  // namespace berth

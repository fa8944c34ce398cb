// SPDX-License-Identifier: Apache-2.0
#include "model/shapes/arrange.h"

#include <map>
#include <string>
#include <utility>

namespace berth {
namespace {

std::ptrdiff_t place(std::size_t at) { return static_cast<std::ptrdiff_t>(at); }

// Labels of every input, and of the output if they are stated.
struct Equation {
  std::vector<std::string> inputs = {""};
  std::optional<std::string> output = {};
};

std::optional<Equation> parse_equation(std::string_view text) {
  if (text.empty()) return std::nullopt;
  Equation equation;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ') continue;
    if (c == '.') return std::nullopt;  // an ellipsis
    if (c == '-' && i + 1 < text.size() && text[i + 1] == '>') {
      equation.output = "";
      ++i;
    } else if (c == ',' && !equation.output) {
      equation.inputs.emplace_back();
    } else {
      (equation.output ? *equation.output : equation.inputs.back()) += c;
    }
  }
  return equation;
}

std::string output_labels(const Equation& equation) {
  if (equation.output) return *equation.output;
  std::map<char, int> count;
  for (const std::string& labels : equation.inputs) {
    for (const char label : labels) ++count[label];
  }
  std::string once;
  for (const auto& [label, times] : count) {
    if (times == 1) once += label;
  }
  return once;
}

}  // namespace

Dim sum_along(const ShapeList& parts, std::size_t axis, std::size_t rank) {
  Dim sum = known_dim(0);
  for (const Shape* part : parts) {
    if (part == nullptr || part->size() != rank) return unknown_dim();
    sum = sum_of(sum, (*part)[axis]);
  }
  return sum;
}

Shape joined(const ShapeList& parts, std::size_t axis) {
  Shape result = *parts.front();
  for (const Shape* part : parts) {
    if (part == nullptr || part->size() != result.size()) continue;
    for (std::size_t other = 0; other < result.size(); ++other) {
      if (!result[other].known()) result[other] = (*part)[other];
    }
  }
  if (parts.size() > 1) result[axis] = sum_along(parts, axis, result.size());
  return result;
}

Dim left_over(const Shape& whole, const Shape& others) {
  Dim elements = known_dim(1), told_apart = known_dim(1);
  std::vector<Dim> unknown;
  for (const Dim& dim : whole) {
    if (dim.known()) {
      elements = product_of(elements, dim);
    } else {
      unknown.push_back(dim);
    }
  }
  for (const Dim& dim : others) told_apart = product_of(told_apart, dim);
  if (!told_apart.known() || told_apart.size == 0) return unknown_dim();
  if (unknown.empty()) return quotient_of(elements, told_apart.size);
  return unknown.size() == 1 && elements.size == told_apart.size ? unknown.front() : unknown_dim();
}

Shape with_axis(Shape shape, std::size_t axis, const Dim& size) {
  shape.insert(shape.begin() + place(axis), size);
  return shape;
}

Shape without_axis(Shape shape, std::size_t axis) {
  shape.erase(shape.begin() + place(axis));
  return shape;
}

Shape reduced(const Shape& shape, const std::vector<bool>& marked, bool keeps_axes) {
  Shape result;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (!marked[axis]) result.push_back(shape[axis]);
    if (marked[axis] && keeps_axes) result.push_back(known_dim(1));
  }
  return result;
}

Shape rows_of(const Shape& table, const Shape& indices, std::size_t axis, std::size_t batch) {
  Shape result(table.begin(), table.begin() + place(axis));
  result.insert(result.end(), indices.begin() + place(batch), indices.end());
  result.insert(result.end(), table.begin() + place(axis) + 1, table.end());
  return result;
}

std::optional<Shape> picked_by_rows(const Shape& table, const Shape& indices, std::int64_t batch) {
  if (indices.empty() || !indices.back().known()) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(table.size());
  const std::int64_t depth = indices.back().size;
  if (batch < 0 || batch > rank || depth > rank - batch) return std::nullopt;
  Shape result(indices.begin(), indices.end() - 1);
  result.insert(result.end(), table.begin() + batch + depth, table.end());
  return result;
}

Shape with_last_two_swapped(Shape shape) {
  if (shape.size() >= 2) std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  return shape;
}

std::optional<Shape> matrix_product(Shape a, Shape b, Mismatch mismatch) {
  if (a.empty() || b.empty()) return std::nullopt;
  const bool row = a.size() == 1, column = b.size() == 1;
  if (row) a.insert(a.begin(), known_dim(1));
  if (column) b.push_back(known_dim(1));
  const Dim rows = a[a.size() - 2], columns = b.back();
  a.resize(a.size() - 2);
  b.resize(b.size() - 2);
  Shape result = broadcast(a, b, mismatch);
  if (!row) result.push_back(rows);
  if (!column) result.push_back(columns);
  return result;
}

std::optional<Shape> einsum_shape(std::string_view text, const ShapeList& inputs) {
  const auto equation = parse_equation(text);
  if (!equation || equation->inputs.size() != inputs.size()) return std::nullopt;
  std::map<char, Dim> size_of;
  for (std::size_t input = 0; input < inputs.size(); ++input) {
    const std::string& labels = equation->inputs[input];
    const Shape* shape = inputs[input];
    const bool fits = shape != nullptr && shape->size() == labels.size();
    for (std::size_t axis = 0; axis < labels.size(); ++axis) {
      Dim& known = size_of[labels[axis]];
      const bool tells_more = fits && !known.known() && (known.symbol.empty() || (*shape)[axis].known());
      if (tells_more) known = (*shape)[axis];
    }
  }
  Shape result;
  for (const char label : output_labels(*equation)) {
    const auto found = size_of.find(label);
    if (found == size_of.end() || result.size() == kMostAxes) return std::nullopt;
    result.push_back(found->second);
  }
  return result;
}

Shape blocks_into_plane(Shape images, std::size_t channel, std::size_t plane, std::int64_t size) {
  images[channel] = quotient_of(images[channel], size * size);
  for (const std::size_t axis : {plane, plane + 1}) images[axis] = product_of(images[axis], known_dim(size));
  return images;
}

Shape blocks_into_channels(Shape images, std::size_t channel, std::size_t plane, std::int64_t size) {
  images[channel] = product_of(images[channel], known_dim(size * size));
  for (const std::size_t axis : {plane, plane + 1}) images[axis] = quotient_of(images[axis], size);
  return images;
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
// Views, joins and copies.
#include <algorithm>

#include "zoo/model_builder.h"

namespace berth {
namespace {

// Whether rows cut out of wider ones can take the new shape in place: only the last dimension may be divided.
bool divides_only_last(const Shape& from, const Shape& to) {
  if (to.rank() < from.rank()) return false;
  return std::equal(from.begin(), from.end() - 1, to.begin());
}

// A part of x along an axis: whole blocks stay contiguous only along the first axis.
Layout layout_of_part(Layout whole, int axis) {
  if (whole == Layout::kPermuted) return Layout::kPermuted;
  return axis == 0 ? whole : Layout::kStrided;
}

int from_start(int axis, const Shape& shape) { return axis < 0 ? axis + shape.rank() : axis; }

}  // namespace

Tensor ModelBuilder::view(OpKind kind, Tensor x, const TensorType& output, Layout layout,
                          const Attributes& attributes) {
  return emit({.kind = kind,
               .inputs = {&x, 1},
               .outputs = {&output, 1},
               .role = Role::kView,
               .layout = layout,
               .attributes = attributes});
}

Tensor ModelBuilder::reshape(Tensor x, Shape to) {
  if (shape(x) == to) return x;
  BERTH_CHECK(shape(x).elements() == to.elements());
  const Layout from = layout(x);
  if (from == Layout::kPermuted || (from == Layout::kStrided && !divides_only_last(shape(x), to))) {
    x = contiguous(x);
  }
  return view(OpKind::kReshape, x, {dtype(x), to}, layout(x));
}

Tensor ModelBuilder::transpose(Tensor x, std::initializer_list<int> permutation) {
  BERTH_CHECK(static_cast<int>(permutation.size()) == shape(x).rank());
  Attributes attributes;
  Shape to;
  for (const int from : permutation) {
    attributes.permutation[static_cast<std::size_t>(to.rank())] = static_cast<std::int8_t>(from);
    to.push_back(shape(x)[from]);
  }
  return view(OpKind::kTranspose, x, {dtype(x), to}, Layout::kPermuted, attributes);
}

Tensor ModelBuilder::transpose_last_two(Tensor x) {
  return shape(x).rank() == 2 ? transpose(x, {1, 0}) : transpose(x, {0, 2, 1});
}

std::vector<Tensor> ModelBuilder::split(Tensor x, int axis, int parts) {
  BERTH_CHECK(shape(x)[axis] % parts == 0);
  const std::vector<std::int64_t> sizes(static_cast<std::size_t>(parts), shape(x)[axis] / parts);
  return split(x, axis, sizes);
}

std::vector<Tensor> ModelBuilder::split(Tensor x, int axis, std::span<const std::int64_t> sizes) {
  axis = from_start(axis, shape(x));
  std::vector<TensorType> outputs;
  std::int64_t total = 0;
  for (const std::int64_t size : sizes) {
    outputs.push_back({dtype(x), shape(x).with(axis, size)});
    total += size;
  }
  BERTH_CHECK(total == shape(x)[axis]);
  const Tensor first = emit({.kind = OpKind::kSplit,
                             .inputs = {&x, 1},
                             .outputs = outputs,
                             .role = Role::kView,
                             .layout = layout_of_part(layout(x), axis),
                             .attributes = {.axis = axis}});
  std::vector<Tensor> parts(sizes.size());
  for (std::uint32_t i = 0; i < parts.size(); ++i) parts[i] = output(first, i);
  return parts;
}

std::vector<Tensor> ModelBuilder::unstack(Tensor x) {
  std::vector<Tensor> parts(static_cast<std::size_t>(shape(x)[0]));
  const std::vector<TensorType> outputs(parts.size(), {dtype(x), shape(x).without_first()});
  const Tensor first =
      emit({.kind = OpKind::kUnstack, .inputs = {&x, 1}, .outputs = outputs, .role = Role::kView, .layout = layout(x)});
  for (std::uint32_t i = 0; i < parts.size(); ++i) parts[i] = output(first, i);
  return parts;
}

Tensor ModelBuilder::slice(Tensor x, int axis, std::int64_t start, std::int64_t size) {
  axis = from_start(axis, shape(x));
  BERTH_CHECK(start >= 0 && start + size <= shape(x)[axis]);
  return view(OpKind::kSlice, x, {dtype(x), shape(x).with(axis, size)}, layout_of_part(layout(x), axis),
              {.axis = axis, .start = start});
}

Tensor ModelBuilder::concat(std::span<const Tensor> parts, int axis) {
  axis = from_start(axis, shape(parts[0]));
  std::int64_t total = 0;
  for (const Tensor part : parts) {
    BERTH_CHECK(shape(part).with(axis, 1) == shape(parts[0]).with(axis, 1));
    total += shape(part)[axis];
  }
  const TensorType joined{dtype(parts[0]), shape(parts[0]).with(axis, total)};
  return emit({.kind = OpKind::kConcat, .inputs = parts, .outputs = {&joined, 1}, .attributes = {.axis = axis}});
}

Tensor ModelBuilder::stack(std::span<const Tensor> parts) {
  Shape to{static_cast<std::int64_t>(parts.size())};
  for (const std::int64_t dim : shape(parts[0])) to.push_back(dim);
  const TensorType joined{dtype(parts[0]), to};
  return emit({.kind = OpKind::kStack, .inputs = parts, .outputs = {&joined, 1}});
}

Tensor ModelBuilder::contiguous(Tensor x) { return unary(OpKind::kContiguous, x); }

Tensor ModelBuilder::slice_grad(Tensor gradient, const TensorType& x) { return op(OpKind::kSliceGrad, {gradient}, x); }

Tensor ModelBuilder::zeros(const TensorType& type) { return op(OpKind::kZeros, {}, type); }

Tensor ModelBuilder::ones_like(Tensor x) { return op(OpKind::kOnes, {x}, type(x)); }

Tensor ModelBuilder::op(OpKind kind, std::initializer_list<Tensor> inputs, const TensorType& output,
                        const Attributes& attributes) {
  return emit(
      {.kind = kind, .inputs = {inputs.begin(), inputs.size()}, .outputs = {&output, 1}, .attributes = attributes});
}

Tensor ModelBuilder::op(OpKind kind, std::initializer_list<Tensor> inputs, std::initializer_list<TensorType> outputs) {
  return emit({.kind = kind, .inputs = {inputs.begin(), inputs.size()}, .outputs = {outputs.begin(), outputs.size()}});
}

}  // namespace berth

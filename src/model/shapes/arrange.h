// SPDX-License-Identifier: Apache-2.0
// Shapes of what ops make that arrange, join, pick or multiply: what the rules of several formats share. Inputs are
// shapes that are known, their sizes need not be.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/shapes/dims.h"

namespace berth {

using ShapeList = std::vector<const Shape*>;  // null: not known

// Sum of the sizes that the parts have along an axis; unknown if one of them is, or has another rank.
Dim sum_along(const ShapeList& parts, std::size_t axis, std::size_t rank);
// Parts one behind the other. The first is known; its other sizes come from the next parts where it does not tell.
Shape joined(const ShapeList& parts, std::size_t axis);

// The size of a new axis that takes what is left: all elements of `whole` but those that `others` tell apart. If one
// size of the whole is unknown and the others come out even, it is that one.
Dim left_over(const Shape& whole, const Shape& others);

Shape with_axis(Shape shape, std::size_t axis, const Dim& size);  // a new one before `axis`
Shape without_axis(Shape shape, std::size_t axis);
// Without the axes that are marked, or with 1 in their place.
Shape reduced(const Shape& shape, const std::vector<bool>& marked, bool keeps_axes);

// Rows of a table in place of each index: the table's axis is replaced by those of the indices behind `batch`.
Shape rows_of(const Shape& table, const Shape& indices, std::size_t axis, std::size_t batch = 0);
// Each row of the indices picks along the first axes behind the batch. Nothing where they do not fit.
std::optional<Shape> picked_by_rows(const Shape& table, const Shape& indices, std::int64_t batch);

Shape with_last_two_swapped(Shape shape);
// Product of matrices in the last two axes; a row or a column may be given as one axis. Nothing for scalars.
std::optional<Shape> matrix_product(Shape a, Shape b, Mismatch mismatch = Mismatch::kOneOfThem);
// "bij,bjk->bik": every letter is one axis. Without a stated output it has the letters that occur once, in their order.
// Nothing for equations with an ellipsis or another number of inputs.
std::optional<Shape> einsum_shape(std::string_view equation, const ShapeList& inputs);

// Blocks of `size` by `size` moved between the channels and the plane of images, whose two axes begin at `plane`.
Shape blocks_into_plane(Shape images, std::size_t channel, std::size_t plane, std::int64_t size);
Shape blocks_into_channels(Shape images, std::size_t channel, std::size_t plane, std::int64_t size);

}  // namespace berth

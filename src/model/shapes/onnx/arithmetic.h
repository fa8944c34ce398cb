// SPDX-License-Identifier: Apache-2.0
// Arithmetic, comparisons and choices on small tensors of whole numbers, element by element, for contents that ONNX
// models compute (model/shapes/onnx/contents.h). What overflows, or depends on an unknown number, is unknown.
#pragma once

#include <vector>

#include "model/shapes/dims.h"
#include "model/shapes/rules.h"

namespace berth {

Contents contents_of_sum(const NodeView& node);
Contents contents_of_difference(const NodeView& node);
Contents contents_of_product(const NodeView& node);
Contents contents_of_quotient(const NodeView& node);
Contents contents_of_remainder(const NodeView& node);
Contents contents_of_negative(const NodeView& node);
Contents contents_of_larger(const NodeView& node);
Contents contents_of_smaller(const NodeView& node);
Contents contents_of_equal(const NodeView& node);
Contents contents_of_less(const NodeView& node);
Contents contents_of_less_or_equal(const NodeView& node);
Contents contents_of_greater(const NodeView& node);
Contents contents_of_greater_or_equal(const NodeView& node);
Contents contents_of_both(const NodeView& node);
Contents contents_of_either(const NodeView& node);
Contents contents_of_not(const NodeView& node);
Contents contents_of_where(const NodeView& node);
std::vector<Contents> contents_of_broadcast_axes(const NodeView& node);

}  // namespace berth

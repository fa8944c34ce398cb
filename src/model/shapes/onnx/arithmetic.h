// SPDX-License-Identifier: Apache-2.0
// Arithmetic, comparisons and choices on small tensors of whole numbers, element by element, for contents that ONNX
// models compute (model/shapes/onnx/contents.h). What overflows, or depends on an unknown number, is unknown.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/shapes/onnx/view.h"

namespace berth {

using Number = std::optional<std::int64_t>;
using Contents = std::optional<PartialNumbers>;

Number difference_of(std::int64_t a, std::int64_t b);
Number product_of_numbers(std::int64_t a, std::int64_t b);

Contents contents_of_sum(const OnnxView& node);
Contents contents_of_difference(const OnnxView& node);
Contents contents_of_product(const OnnxView& node);
Contents contents_of_quotient(const OnnxView& node);
Contents contents_of_remainder(const OnnxView& node);
Contents contents_of_negative(const OnnxView& node);
Contents contents_of_larger(const OnnxView& node);
Contents contents_of_smaller(const OnnxView& node);
Contents contents_of_equal(const OnnxView& node);
Contents contents_of_less(const OnnxView& node);
Contents contents_of_less_or_equal(const OnnxView& node);
Contents contents_of_greater(const OnnxView& node);
Contents contents_of_greater_or_equal(const OnnxView& node);
Contents contents_of_both(const OnnxView& node);
Contents contents_of_either(const OnnxView& node);
Contents contents_of_not(const OnnxView& node);
Contents contents_of_where(const OnnxView& node);
std::vector<Contents> contents_of_broadcast_axes(const OnnxView& node);

}  // namespace berth

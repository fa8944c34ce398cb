// SPDX-License-Identifier: Apache-2.0
#include "model/shapes/tensorflow/contents.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "model/shapes/dims.h"
#include "model/shapes/tensorflow/lists.h"

namespace berth::tensorflow {
namespace {

using Numbers = std::vector<std::int64_t>;
using WholeNumbers = std::optional<Numbers>;

std::optional<Numbers> sizes_of(const Shape* shape) {
  if (shape == nullptr) return std::nullopt;
  Numbers sizes;
  for (const Dim& dim : *shape) {
    if (!dim.known()) return std::nullopt;
    sizes.push_back(dim.size);
  }
  return sizes;
}

Number product_of_all(const Numbers& numbers) {
  Number product = 1;
  for (const std::int64_t number : numbers) product = product ? product_of_numbers(*product, number) : Number();
  return product;
}

// Two lists of equal length, or a list and one number.
template <typename Apply>
WholeNumbers combined(const NodeView& op, Apply apply) {
  const Numbers *a = op.contents(0), *b = op.contents(1);
  if (a == nullptr || b == nullptr || (a->size() != b->size() && a->size() != 1 && b->size() != 1)) return std::nullopt;
  Numbers results;
  const std::size_t count = a->empty() || b->empty() ? 0 : std::max(a->size(), b->size());
  for (std::size_t i = 0; i < count; ++i) {
    const Number result = apply((*a)[a->size() == 1 ? 0 : i], (*b)[b->size() == 1 ? 0 : i]);
    if (!result) return std::nullopt;
    results.push_back(*result);
  }
  return results;
}

Number floor_of_quotient(std::int64_t a, std::int64_t b) {
  if (b <= 0 || a <= INT64_MIN + b) return std::nullopt;
  return a >= 0 ? a / b : (a - b + 1) / b;
}

WholeNumbers sums(const NodeView& op) { return combined(op, sum_of_numbers); }
WholeNumbers differences(const NodeView& op) { return combined(op, difference_of_numbers); }
WholeNumbers products(const NodeView& op) { return combined(op, product_of_numbers); }
WholeNumbers quotients(const NodeView& op) { return combined(op, floor_of_quotient); }
WholeNumbers larger_numbers(const NodeView& op) {
  return combined(op, [](std::int64_t a, std::int64_t b) { return Number(std::max(a, b)); });
}
WholeNumbers smaller_numbers(const NodeView& op) {
  return combined(op, [](std::int64_t a, std::int64_t b) { return Number(std::min(a, b)); });
}

bool makes_row(const NodeView& op) { return op.output(0)->size() == 1; }

// All inputs from the first to the last but `behind`, one after the other.
WholeNumbers joined_numbers(const NodeView& op, std::size_t behind) {
  Numbers numbers;
  if (!makes_row(op)) return std::nullopt;
  for (std::size_t i = 0; i + behind < op.num_inputs(); ++i) {
    const Numbers* part = op.contents(i);
    if (part == nullptr || numbers.size() + part->size() > kMostContents) return std::nullopt;
    numbers.insert(numbers.end(), part->begin(), part->end());
  }
  return numbers;
}

WholeNumbers packed_numbers(const NodeView& op) { return joined_numbers(op, 0); }
WholeNumbers concatenated_numbers(const NodeView& op) { return joined_numbers(op, 1); }

// One element or a run of a list.
WholeNumbers sliced_numbers(const NodeView& op) {
  const Numbers* list = op.contents(0);
  const auto begin = op.number(1), end = op.number(2), stride = op.number(3);
  const bool simple = list != nullptr && op.shape(0) != nullptr && op.shape(0)->size() == 1 && begin && end && stride &&
                      *stride != 0 && *stride != INT64_MIN && op.integer("new_axis_mask", 0) == 0 &&
                      op.integer("ellipsis_mask", 0) == 0;
  if (!simple) return std::nullopt;
  const auto masked = [&](std::string_view name) { return (op.integer(name, 0) & 1) != 0; };
  SliceRange range{*begin, *end, *stride, masked("begin_mask"), masked("end_mask")};
  const auto size = static_cast<std::int64_t>(list->size());
  if (masked("shrink_axis_mask")) {
    const auto at = axis_of(*begin, list->size());
    if (!at) return std::nullopt;
    return Numbers{(*list)[*at]};
  }
  Numbers numbers;
  const std::int64_t length = slice_length(range, size);
  for (std::int64_t i = 0; i < length; ++i) {
    numbers.push_back((*list)[static_cast<std::size_t>(range.begin + i * range.stride)]);
  }
  return numbers;
}

WholeNumbers picked_numbers(const NodeView& op) {
  const Numbers *list = op.contents(0), *indices = op.contents(1);
  if (list == nullptr || indices == nullptr || op.shape(0) == nullptr || op.shape(0)->size() != 1) return std::nullopt;
  Numbers numbers;
  for (const std::int64_t number : *indices) {
    const auto at = axis_of(number, list->size());
    if (!at) return std::nullopt;
    numbers.push_back((*list)[*at]);
  }
  return numbers;
}

WholeNumbers counted_numbers(const NodeView& op) {
  const Shape& shape = *op.output(0);
  const auto start = op.number(0), delta = op.number(2);
  const auto is_small = [](std::int64_t number) { return number >= -kLargestSize && number <= kLargestSize; };
  const bool small = start && delta && is_small(*start) && is_small(*delta) && shape.size() == 1 && shape[0].known() &&
                     shape[0].size <= static_cast<std::int64_t>(kMostContents);
  if (!small) return std::nullopt;
  Numbers numbers;
  for (std::int64_t i = 0; i < shape[0].size; ++i) numbers.push_back(*start + i * *delta);
  return numbers;
}

WholeNumbers copied_numbers(const NodeView& op) {
  const Numbers* numbers = op.contents(0);
  return numbers != nullptr ? WholeNumbers(*numbers) : std::nullopt;
}

WholeNumbers one_number_of(Number value) { return value ? WholeNumbers(Numbers{*value}) : std::nullopt; }

WholeNumbers sizes_of_first(const NodeView& op) { return sizes_of(op.shape(0)); }

WholeNumbers rank_of_first(const NodeView& op) {
  const Shape* shape = op.shape(0);
  return shape != nullptr ? WholeNumbers(Numbers{static_cast<std::int64_t>(shape->size())}) : std::nullopt;
}

WholeNumbers elements_of_first(const NodeView& op) {
  const auto sizes = sizes_of(op.shape(0));
  return sizes ? one_number_of(product_of_all(*sizes)) : std::nullopt;
}

// Of all of them.
WholeNumbers product_of_first(const NodeView& op) {
  const Numbers* numbers = op.contents(0);
  return numbers != nullptr && op.output(0)->empty() ? one_number_of(product_of_all(*numbers)) : std::nullopt;
}

WholeNumbers length_of_list(const NodeView& op) {
  const TensorList* list = op.list();
  return list != nullptr ? one_number_of(list->length) : std::nullopt;
}

WholeNumbers sizes_in_list(const NodeView& op) {
  const TensorList* list = op.list();
  return list != nullptr && list->element ? sizes_of(&*list->element) : std::nullopt;
}

// Only where it agrees with the shape.
Contents agreeing(const WholeNumbers& numbers, const Shape* shape) {
  if (!numbers || shape == nullptr) return std::nullopt;
  std::int64_t count = 1;
  for (const Dim& dim : *shape) {
    if (!dim.known() || dim.size > static_cast<std::int64_t>(kMostContents)) return std::nullopt;
    count *= dim.size;
    if (count > static_cast<std::int64_t>(kMostContents)) return std::nullopt;
  }
  if (count != static_cast<std::int64_t>(numbers->size())) return std::nullopt;
  return PartialNumbers(numbers->begin(), numbers->end());
}

// Of output 0, whose shape is known.
using WholeNumbersRule = WholeNumbers (*)(const NodeView&);
using WholeNumbersRow = TypeRow<WholeNumbersRule>;
constexpr std::array kTensorFlowContents{
    WholeNumbersRow{"Shape VariableShape", sizes_of_first},
    WholeNumbersRow{"Rank", rank_of_first},
    WholeNumbersRow{"Size", elements_of_first},
    WholeNumbersRow{"Identity Cast ExpandDims Squeeze Reshape", copied_numbers},
    WholeNumbersRow{"Add AddV2", sums},
    WholeNumbersRow{"Sub", differences},
    WholeNumbersRow{"Mul", products},
    WholeNumbersRow{"FloorDiv", quotients},
    WholeNumbersRow{"Maximum", larger_numbers},
    WholeNumbersRow{"Minimum", smaller_numbers},
    WholeNumbersRow{"Pack", packed_numbers},
    WholeNumbersRow{"ConcatV2", concatenated_numbers},
    WholeNumbersRow{"StridedSlice", sliced_numbers},
    WholeNumbersRow{"GatherV2", picked_numbers},
    WholeNumbersRow{"Range", counted_numbers},
    WholeNumbersRow{"Prod", product_of_first},
    WholeNumbersRow{"TensorArraySizeV3 TensorListLength", length_of_list},
    WholeNumbersRow{"TensorListElementShape", sizes_in_list},
};

}  // namespace

// Where the shape of an input is 1 or shorter than that of the other, counted from the first dimension of the longer.
std::optional<std::vector<std::int64_t>> broadcast_gradient_axes(const NodeView& op, std::size_t input) {
  const Numbers *own = op.contents(input), *other = op.contents(1 - input);
  if (own == nullptr || other == nullptr) return std::nullopt;
  Numbers axes;
  if (*own == *other) return axes;
  const std::size_t rank = std::max(own->size(), other->size());
  for (std::size_t i = 0; i < rank; ++i) {
    const bool is_missing = i + own->size() < rank;
    if (is_missing || (*own)[i + own->size() - rank] == 1) axes.push_back(static_cast<std::int64_t>(i));
  }
  return axes;
}

std::vector<Contents> compute_contents(const NodeView& op) {
  static const TypeTable<WholeNumbersRule> table{kTensorFlowContents};
  std::vector<Contents> contents;
  if (op.type() == "BroadcastGradientArgs") {
    for (const std::size_t output : {std::size_t{0}, std::size_t{1}}) {
      contents.push_back(agreeing(broadcast_gradient_axes(op, output), op.output(output)));
    }
  } else if (const WholeNumbersRule rule = table.find(op.type()); rule != nullptr && op.output(0) != nullptr) {
    contents.push_back(agreeing(rule(op), op.output(0)));
  }
  return contents;
}

}  // namespace berth::tensorflow

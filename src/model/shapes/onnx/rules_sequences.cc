// SPDX-License-Identifier: Apache-2.0
// Rules of ONNX's sequences and optionals. A sequence has the shape of its elements stacked, [how many, ...], so that
// it has their bytes; where they differ along an axis, that one is unknown. An optional has the shape of what is in it.
#include "model/shapes/onnx/rules.h"

#include <algorithm>

#include "model/shapes/arrange.h"

namespace berth {
namespace {

// What two elements have in common; nothing if their ranks differ.
std::optional<Shape> common(Shape a, const Shape& b) {
  if (a.size() != b.size()) return std::nullopt;
  for (std::size_t axis = 0; axis < a.size(); ++axis) {
    const bool is_same = a[axis].known() ? a[axis].size == b[axis].size : a[axis] == b[axis];
    if (!is_same) a[axis] = unknown_dim();
  }
  return a;
}

Shape stacked(const Dim& count, const Shape& element) { return with_axis(element, 0, count); }

// Shape of an element; nothing if that of the sequence is not known.
std::optional<Shape> element_of(const Shape* sequence) {
  if (sequence == nullptr || sequence->empty()) return std::nullopt;
  return Shape(sequence->begin() + 1, sequence->end());
}

// How many parts there are, and how long each is if all are equally long.
struct Parts {
  Dim count, length;
};

Parts parts_of(const NodeView& node, const Dim& whole) {
  if (!node.has(1)) return {whole, known_dim(1)};
  const auto* lengths = node.contents(1);
  if (lengths == nullptr || lengths->empty()) return {unknown_dim(), unknown_dim()};
  const bool is_list = node.shape(1) != nullptr && node.shape(1)->size() == 1;
  if (is_list) {
    const bool are_equal = std::ranges::count(*lengths, lengths->front()) == std::ranges::ssize(*lengths);
    return {known_dim(std::ranges::ssize(*lengths)), are_equal ? known_dim(lengths->front()) : unknown_dim()};
  }
  const Dim length = known_dim(lengths->front());
  if (!whole.known() || length.size <= 0) return {unknown_dim(), length};
  const bool are_equal = whole.size % length.size == 0;
  return {known_dim(whole.size / length.size + (are_equal ? 0 : 1)), are_equal ? length : unknown_dim()};
}

Outputs infer_sequence_construct(const NodeView& node) {
  std::optional<Shape> element = copy_of(node.shape(0));
  for (std::size_t i = 1; element && i < node.num_inputs(); ++i) {
    element = node.shape(i) != nullptr ? common(*std::move(element), *node.shape(i)) : std::nullopt;
  }
  if (!element) return one(node.dtype(0), std::nullopt);
  return one(node.dtype(0), stacked(known_dim(static_cast<std::int64_t>(node.num_inputs())), *element));
}

Outputs infer_sequence_insert(const NodeView& node) {
  const auto element = element_of(node.shape(0));
  const auto joint = element && node.shape(1) != nullptr ? common(*element, *node.shape(1)) : std::nullopt;
  if (!joint) return one(node.dtype(1), std::nullopt);
  return one(node.dtype(1), stacked(sum_of(node.shape(0)->front(), known_dim(1)), *joint));
}

Outputs infer_sequence_erase(const NodeView& node) {
  auto shape = copy_of(node.shape(0));
  if (!shape || shape->empty()) return one(node.dtype(0), std::nullopt);
  Dim& count = shape->front();
  count = count.size > 0 ? known_dim(count.size - 1) : unknown_dim();
  return one(node.dtype(0), std::move(shape));
}

Outputs infer_sequence_at(const NodeView& node) { return one(node.dtype(0), element_of(node.shape(0))); }

// With a length (one number), or a list of them; without, in single rows, whose axis may be dropped.
Outputs infer_split_to_sequence(const NodeView& node) {
  const Shape* whole = node.shape(0);
  const auto axis = whole != nullptr ? axis_of(node.integer("axis", 0), whole->size()) : std::nullopt;
  if (!axis) return one(node.dtype(0), std::nullopt);
  const Parts parts = parts_of(node, (*whole)[*axis]);
  Shape element = *whole;
  element[*axis] = parts.length;
  const bool drops_axis = !node.has(1) && node.integer("keepdims", 1) == 0;
  if (drops_axis) element = without_axis(std::move(element), *axis);
  return one(node.dtype(0), stacked(parts.count, element));
}

Outputs infer_concat_from_sequence(const NodeView& node) {
  const auto element = element_of(node.shape(0));
  if (!element) return one(node.dtype(0), std::nullopt);
  const bool is_new = node.integer("new_axis", 0) != 0;
  const auto axis = axis_of(node.integer("axis", 0), element->size() + (is_new ? 1 : 0));
  if (!axis) return one(node.dtype(0), std::nullopt);
  const Dim& count = node.shape(0)->front();
  Shape result = *element;
  if (is_new) {
    result = with_axis(std::move(result), *axis, count);
  } else {
    result[*axis] = product_of(result[*axis], count);
  }
  return one(node.dtype(0), result);
}

// One whole number.
Outputs infer_length(const NodeView&) { return one(DType::kI64, Shape{}); }
// One truth value.
Outputs infer_flag(const NodeView&) { return one(DType::kBool, Shape{}); }

constexpr RuleRow kSequencesRules[] = {
    {"com.microsoft: IsAllFinite", infer_flag},
    {"SequenceConstruct", infer_sequence_construct},
    {"SequenceInsert", infer_sequence_insert},
    {"SequenceErase", infer_sequence_erase},
    {"SequenceAt", infer_sequence_at},
    {"SplitToSequence", infer_split_to_sequence},
    {"ConcatFromSequence", infer_concat_from_sequence},
    {"SequenceLength", infer_length},
    {"OptionalHasElement", infer_flag},
};

}  // namespace

std::span<const RuleRow> sequences_rules() { return kSequencesRules; }

}  // namespace berth

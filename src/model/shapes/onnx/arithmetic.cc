// SPDX-License-Identifier: Apache-2.0
#include "model/shapes/onnx/arithmetic.h"

#include <algorithm>

#include "model/shapes/onnx/contents.h"

namespace berth {
namespace {

// One of the two may have a single element.
template <typename Combine>
Contents combine(const NodeView& node, Combine combine_two) {
  const auto a = node.partial(0), b = node.partial(1);
  if (!a || !b || a->empty() || b->empty() || node.num_inputs() != 2) return std::nullopt;
  const std::size_t size = std::max(a->size(), b->size());
  if ((a->size() != size && a->size() != 1) || (b->size() != size && b->size() != 1) || size > kMostComputed)
    return std::nullopt;
  PartialNumbers result;
  for (std::size_t i = 0; i < size; ++i) {
    const Number left = (*a)[a->size() == 1 ? 0 : i], right = (*b)[b->size() == 1 ? 0 : i];
    result.push_back(left && right ? combine_two(*left, *right) : Number());
  }
  return result;
}

template <typename Holds>
Contents compare(const NodeView& node, Holds holds) {
  return combine(node, [&](std::int64_t a, std::int64_t b) { return Number(holds(a, b) ? 1 : 0); });
}

// Every number that is known made into another.
template <typename Change>
Contents changed(const NodeView& node, Change change) {
  auto numbers = node.partial(0);
  if (!numbers || numbers->size() > kMostComputed) return std::nullopt;
  for (Number& number : *numbers) number = number ? change(*number) : Number();
  return numbers;
}

}  // namespace

Contents contents_of_sum(const NodeView& node) { return combine(node, sum_of_numbers); }
Contents contents_of_difference(const NodeView& node) { return combine(node, difference_of_numbers); }
Contents contents_of_product(const NodeView& node) { return combine(node, product_of_numbers); }

// Whole numbers cut off; numbers with a point must come out even to be known here.
Contents contents_of_quotient(const NodeView& node) {
  const bool exact = !node.dtype(0) || is_floating(*node.dtype(0));
  return combine(node, [&](std::int64_t a, std::int64_t b) {
    return b == 0 || b == -1 || (exact && a % b != 0) ? Number() : Number(a / b);
  });
}

Contents contents_of_remainder(const NodeView& node) {
  return combine(node, [](std::int64_t a, std::int64_t b) { return b <= 0 || a < 0 ? Number() : Number(a % b); });
}

Contents contents_of_negative(const NodeView& node) {
  return changed(node, [](std::int64_t number) { return difference_of_numbers(0, number); });
}

Contents contents_of_larger(const NodeView& node) {
  return combine(node, [](std::int64_t a, std::int64_t b) { return Number(std::max(a, b)); });
}
Contents contents_of_smaller(const NodeView& node) {
  return combine(node, [](std::int64_t a, std::int64_t b) { return Number(std::min(a, b)); });
}

Contents contents_of_equal(const NodeView& node) {
  return compare(node, [](std::int64_t a, std::int64_t b) { return a == b; });
}
Contents contents_of_less(const NodeView& node) {
  return compare(node, [](std::int64_t a, std::int64_t b) { return a < b; });
}
Contents contents_of_less_or_equal(const NodeView& node) {
  return compare(node, [](std::int64_t a, std::int64_t b) { return a <= b; });
}
Contents contents_of_greater(const NodeView& node) {
  return compare(node, [](std::int64_t a, std::int64_t b) { return a > b; });
}
Contents contents_of_greater_or_equal(const NodeView& node) {
  return compare(node, [](std::int64_t a, std::int64_t b) { return a >= b; });
}
Contents contents_of_both(const NodeView& node) {
  return compare(node, [](std::int64_t a, std::int64_t b) { return a != 0 && b != 0; });
}
Contents contents_of_either(const NodeView& node) {
  return compare(node, [](std::int64_t a, std::int64_t b) { return a != 0 || b != 0; });
}
Contents contents_of_not(const NodeView& node) {
  return changed(node, [](std::int64_t number) { return Number(number == 0 ? 1 : 0); });
}

Contents contents_of_where(const NodeView& node) {
  const auto condition = node.partial(0), yes = node.partial(1), no = node.partial(2);
  if (!condition || !yes || !no) return std::nullopt;
  const std::size_t size = std::max({condition->size(), yes->size(), no->size()});
  if (size > kMostComputed) return std::nullopt;
  const auto pick = [](const PartialNumbers& numbers, std::size_t i) -> Number {
    if (numbers.size() == 1) return numbers.front();
    return i < numbers.size() ? numbers[i] : Number();
  };
  PartialNumbers result;
  for (std::size_t i = 0; i < size; ++i) {
    const Number test = pick(*condition, i), one = pick(*yes, i), other = pick(*no, i);
    result.push_back(test ? (*test != 0 ? one : other) : one == other ? one : Number());
  }
  return result;
}

// The axes along which each of two shapes was stretched to that of the result, last axes first.
std::vector<Contents> contents_of_broadcast_axes(const NodeView& node) {
  const auto *a = node.contents(0), *b = node.contents(1);
  if (a == nullptr || b == nullptr) return {};
  const std::size_t rank = std::max(a->size(), b->size());
  PartialNumbers of_a, of_b;
  for (std::size_t back = 1; back <= std::min(rank, kMostComputed); ++back) {
    const std::int64_t in_a = back <= a->size() ? (*a)[a->size() - back] : 0;
    const std::int64_t in_b = back <= b->size() ? (*b)[b->size() - back] : 0;
    const auto axis = static_cast<std::int64_t>(rank - back);
    if (back > a->size() || (in_a == 1 && in_b != 1 && back <= b->size())) of_a.emplace_back(axis);
    if (back > b->size() || (in_b == 1 && in_a != 1 && back <= a->size())) of_b.emplace_back(axis);
  }
  return {of_a, of_b};
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include "model/onnx_contents.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "model/onnx_dtype.h"
#include "model/sizes.h"

namespace berth {
namespace {

using Number = std::optional<std::int64_t>;
using Contents = std::optional<PartialNumbers>;

bool is_row(const OnnxView& node, std::size_t input) {
  return node.shape(input) != nullptr && node.shape(input)->size() == 1;
}

Contents shape_contents(const OnnxView& node) {
  const Shape* shape = node.shape(0);
  if (shape == nullptr) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(shape->size());
  const auto bound = [&](std::int64_t at) { return std::clamp(at < 0 ? at + rank : at, std::int64_t{0}, rank); };
  PartialNumbers sizes;
  for (std::int64_t i = bound(node.node().integer("start", 0)); i < bound(node.node().integer("end", rank)); ++i) {
    const Dim& dim = (*shape)[static_cast<std::size_t>(i)];
    sizes.push_back(dim.known() ? Number(dim.size) : Number());
  }
  return sizes;
}

Contents size_contents(const OnnxView& node) {
  if (node.shape(0) == nullptr) return std::nullopt;
  return PartialNumbers{num_elements(*node.shape(0))};
}

Contents copy_contents(const OnnxView& node) {
  auto numbers = node.partial(0);
  return numbers && numbers->size() <= kMostComputed ? numbers : std::nullopt;
}

Contents cast_contents(const OnnxView& node) {
  const auto to = dtype_of_onnx(node.node().integer("to", 0));
  auto numbers = copy_contents(node);
  if (!numbers || !to) return std::nullopt;
  if (*to == DType::kBool) {
    for (Number& number : *numbers) number = number ? Number(*number != 0 ? 1 : 0) : number;
    return numbers;
  }
  return is_floating(*to) || bits_of(*to) >= 32 ? numbers : std::nullopt;
}

// Of an input without known contents: as many open numbers as it has elements.
Contents part_of_concat(const OnnxView& node, std::size_t input) {
  if (auto numbers = node.partial(input)) return numbers;
  if (!is_row(node, input)) return std::nullopt;
  const Dim& length = node.shape(input)->front();
  if (!length.known() || length.size > static_cast<std::int64_t>(kMostComputed)) return std::nullopt;
  return PartialNumbers(static_cast<std::size_t>(length.size));
}

Contents concat_contents(const OnnxView& node) {
  PartialNumbers all;
  for (std::size_t i = 0; i < node.num_inputs(); ++i) {
    const auto part = part_of_concat(node, i);
    if (!part || (node.shape(i) != nullptr && node.shape(i)->size() > 1)) return std::nullopt;
    all.insert(all.end(), part->begin(), part->end());
    if (all.size() > kMostComputed) return std::nullopt;
  }
  return all;
}

Contents gather_contents(const OnnxView& node) {
  const auto data = node.partial(0);
  const auto* indices = node.contents(1);
  if (!data || indices == nullptr || !is_row(node, 0) || indices->size() > kMostComputed) return std::nullopt;
  PartialNumbers picked;
  for (const std::int64_t index : *indices) {
    const auto place = axis_of(index, data->size());
    if (!place) return std::nullopt;
    picked.push_back((*data)[*place]);
  }
  return picked;
}

Contents slice_contents(const OnnxView& node) {
  const auto data = node.partial(0);
  const auto *starts = node.numbers("starts", 1), *ends = node.numbers("ends", 2), *steps = node.contents(4);
  if (!data || !is_row(node, 0) || starts == nullptr || ends == nullptr || starts->size() != 1 || ends->size() != 1)
    return std::nullopt;
  if (node.has(4) && (steps == nullptr || *steps != std::vector<std::int64_t>{1})) return std::nullopt;
  const auto size = static_cast<std::int64_t>(data->size());
  const auto bound = [&](std::int64_t at) { return std::clamp(at < 0 ? at + size : at, std::int64_t{0}, size); };
  const std::int64_t from = bound(starts->front()), to = std::max(from, bound(ends->front()));
  if (to - from > static_cast<std::int64_t>(kMostComputed)) return std::nullopt;
  return PartialNumbers(data->begin() + from, data->begin() + to);
}

// One of the two may have a single element.
template <typename Combine>
Contents combine(const OnnxView& node, Combine combine_two) {
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

Number add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? Number() : Number(sum);
}
Number subtract(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  return __builtin_sub_overflow(a, b, &difference) ? Number() : Number(difference);
}
Number multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? Number() : Number(product);
}

Contents add_contents(const OnnxView& node) { return combine(node, add); }
Contents subtract_contents(const OnnxView& node) { return combine(node, subtract); }
Contents multiply_contents(const OnnxView& node) { return combine(node, multiply); }

// Whole numbers cut off; numbers with a point must come out even to be known here.
Contents divide_contents(const OnnxView& node) {
  const bool exact = !node.dtype(0) || is_floating(*node.dtype(0));
  return combine(node, [&](std::int64_t a, std::int64_t b) {
    return b == 0 || b == -1 || (exact && a % b != 0) ? Number() : Number(a / b);
  });
}
Contents modulo_contents(const OnnxView& node) {
  return combine(node, [](std::int64_t a, std::int64_t b) { return b <= 0 || a < 0 ? Number() : Number(a % b); });
}

Contents larger_contents(const OnnxView& node) {
  return combine(node, [](std::int64_t a, std::int64_t b) { return Number(std::max(a, b)); });
}
Contents smaller_contents(const OnnxView& node) {
  return combine(node, [](std::int64_t a, std::int64_t b) { return Number(std::min(a, b)); });
}

template <bool (*kHolds)(std::int64_t, std::int64_t)>
Contents compared(const OnnxView& node) {
  return combine(node, [](std::int64_t a, std::int64_t b) { return Number(kHolds(a, b) ? 1 : 0); });
}
bool equal(std::int64_t a, std::int64_t b) { return a == b; }
bool less(std::int64_t a, std::int64_t b) { return a < b; }
bool less_or_equal(std::int64_t a, std::int64_t b) { return a <= b; }
bool greater(std::int64_t a, std::int64_t b) { return a > b; }
bool greater_or_equal(std::int64_t a, std::int64_t b) { return a >= b; }
bool both(std::int64_t a, std::int64_t b) { return a != 0 && b != 0; }
bool either(std::int64_t a, std::int64_t b) { return a != 0 || b != 0; }

Contents not_contents(const OnnxView& node) {
  auto numbers = copy_contents(node);
  for (std::size_t i = 0; numbers && i < numbers->size(); ++i) {
    if (Number& number = (*numbers)[i]) number = *number == 0 ? 1 : 0;
  }
  return numbers;
}

Contents negative_contents(const OnnxView& node) {
  auto numbers = copy_contents(node);
  for (std::size_t i = 0; numbers && i < numbers->size(); ++i) {
    if (Number& number = (*numbers)[i]) number = subtract(0, *number);
  }
  return numbers;
}

Contents where_contents(const OnnxView& node) {
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

Contents fill_contents(const OnnxView& node) {
  const auto* sizes = node.contents(0);
  if (sizes == nullptr || sizes->size() > 1) return std::nullopt;
  const std::int64_t count = sizes->empty() ? 1 : sizes->front();
  const auto* dtype = node.node().find<std::string>("dtype");
  if (dtype == nullptr || (*dtype != "i64" && *dtype != "i32") || count < 0 ||
      count > static_cast<std::int64_t>(kMostComputed))
    return std::nullopt;
  return PartialNumbers(static_cast<std::size_t>(count), Number(node.node().integer("fill", 0)));
}

Contents range_contents(const OnnxView& node) {
  const Number start = node.number(0), limit = node.number(1), step = node.number(2);
  const Number length = start && limit ? subtract(*limit, *start) : Number();
  if (!length || step != Number(1) || *length < 0 || *length > static_cast<std::int64_t>(kMostComputed))
    return std::nullopt;
  PartialNumbers result;
  for (std::int64_t i = 0; i < *length; ++i) result.push_back(*start + i);
  return result;
}

Contents product_contents(const OnnxView& node) {
  const auto numbers = node.partial(0);
  if (!numbers || !is_row(node, 0)) return std::nullopt;
  Number product = 1;
  for (const Number number : *numbers) product = product && number ? multiply(*product, *number) : Number();
  return PartialNumbers{product};
}

struct TypeContents {
  std::string_view type;
  Contents (*compute)(const OnnxView&);
};

constexpr TypeContents kTable[] = {
    {"Shape", shape_contents},
    {"Size", size_contents},
    {"Identity", copy_contents},
    {"Squeeze", copy_contents},
    {"Unsqueeze", copy_contents},
    {"Reshape", copy_contents},
    {"Flatten", copy_contents},
    {"Floor", copy_contents},
    {"Ceil", copy_contents},
    {"Round", copy_contents},
    {"Cast", cast_contents},
    {"Concat", concat_contents},
    {"com.microsoft.ConcatTraining", concat_contents},
    {"Gather", gather_contents},
    {"Slice", slice_contents},
    {"Add", add_contents},
    {"Sub", subtract_contents},
    {"Mul", multiply_contents},
    {"Div", divide_contents},
    {"Mod", modulo_contents},
    {"Neg", negative_contents},
    {"Max", larger_contents},
    {"Min", smaller_contents},
    {"Equal", compared<equal>},
    {"Less", compared<less>},
    {"LessOrEqual", compared<less_or_equal>},
    {"Greater", compared<greater>},
    {"GreaterOrEqual", compared<greater_or_equal>},
    {"And", compared<both>},
    {"Or", compared<either>},
    {"Not", not_contents},
    {"Where", where_contents},
    {"ConstantOfShape", fill_contents},
    {"Range", range_contents},
    {"ReduceProd", product_contents},
};

// The axes along which each of two shapes was stretched to that of the result, last axes first.
std::vector<Contents> broadcast_axes(const OnnxView& node) {
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

using ContentsByType = std::unordered_map<std::string_view, Contents (*)(const OnnxView&)>;

const ContentsByType& table() {
  static const ContentsByType by_type = [] {
    ContentsByType filled;
    for (const TypeContents& row : kTable) filled.emplace(row.type, row.compute);
    return filled;
  }();
  return by_type;
}

}  // namespace

std::vector<std::optional<PartialNumbers>> compute_contents(const OnnxView& node) {
  if (node.node().type == "com.microsoft.BroadcastGradientArgs") return broadcast_axes(node);
  const auto found = table().find(node.node().type);
  if (found == table().end()) return {};
  return {found->second(node)};
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include "model/onnx_contents.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "model/sizes.h"

namespace berth {
namespace {

using Numbers = std::vector<std::int64_t>;

constexpr std::size_t kMostContents = 1024;

std::optional<Numbers> shape_contents(const OnnxView& node) {
  const Shape* shape = node.shape(0);
  if (shape == nullptr) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(shape->size());
  const auto bound = [&](std::int64_t at) { return std::clamp(at < 0 ? at + rank : at, std::int64_t{0}, rank); };
  Numbers sizes;
  for (std::int64_t i = bound(node.node().integer("start", 0)); i < bound(node.node().integer("end", rank)); ++i) {
    const Dim& dim = (*shape)[static_cast<std::size_t>(i)];
    if (!dim.known()) return std::nullopt;
    sizes.push_back(dim.size);
  }
  return sizes;
}

std::optional<Numbers> copy_contents(const OnnxView& node) {
  const Numbers* numbers = node.contents(0);
  return numbers != nullptr ? std::optional(*numbers) : std::nullopt;
}

std::optional<Numbers> concat_contents(const OnnxView& node) {
  Numbers all;
  for (std::size_t i = 0; i < node.num_inputs(); ++i) {
    const Numbers* numbers = node.contents(i);
    if (numbers == nullptr || (node.shape(i) != nullptr && node.shape(i)->size() > 1)) return std::nullopt;
    all.insert(all.end(), numbers->begin(), numbers->end());
    if (all.size() > kMostContents) return std::nullopt;
  }
  return all;
}

std::optional<Numbers> gather_contents(const OnnxView& node) {
  const Numbers *data = node.contents(0), *indices = node.contents(1);
  if (data == nullptr || indices == nullptr || node.shape(0) == nullptr || node.shape(0)->size() != 1)
    return std::nullopt;
  Numbers picked;
  for (const std::int64_t index : *indices) {
    const auto place = axis_of(index, data->size());
    if (!place) return std::nullopt;
    picked.push_back((*data)[*place]);
  }
  return picked;
}

std::optional<Numbers> slice_contents(const OnnxView& node) {
  const Numbers *data = node.contents(0), *starts = node.numbers("starts", 1), *ends = node.numbers("ends", 2);
  const Numbers* steps = node.contents(4);
  if (data == nullptr || starts == nullptr || ends == nullptr || starts->size() != 1 || ends->size() != 1 ||
      (node.has(4) && steps == nullptr))
    return std::nullopt;
  if (node.shape(0) == nullptr || node.shape(0)->size() != 1 || (steps != nullptr && *steps != Numbers{1}))
    return std::nullopt;
  const auto size = static_cast<std::int64_t>(data->size());
  const auto bound = [&](std::int64_t at) { return std::clamp(at < 0 ? at + size : at, std::int64_t{0}, size); };
  const std::int64_t from = bound(starts->front()), to = std::max(from, bound(ends->front()));
  return Numbers(data->begin() + from, data->begin() + to);
}

// One of the two may have a single element.
template <typename Combine>
std::optional<Numbers> combine(const OnnxView& node, Combine combine_two) {
  const Numbers *a = node.contents(0), *b = node.contents(1);
  if (a == nullptr || b == nullptr || node.num_inputs() != 2) return std::nullopt;
  if (a->size() != b->size() && a->size() != 1 && b->size() != 1) return std::nullopt;
  Numbers result;
  for (std::size_t i = 0; i < std::max(a->size(), b->size()); ++i) {
    const std::optional<std::int64_t> value = combine_two((*a)[a->size() == 1 ? 0 : i], (*b)[b->size() == 1 ? 0 : i]);
    if (!value) return std::nullopt;
    result.push_back(*value);
  }
  return result;
}

using Number = std::optional<std::int64_t>;
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
Number divide(std::int64_t a, std::int64_t b) { return b == 0 || b == -1 ? Number() : Number(a / b); }
Number equal(std::int64_t a, std::int64_t b) { return a == b ? 1 : 0; }
Number larger(std::int64_t a, std::int64_t b) { return std::max(a, b); }
Number smaller(std::int64_t a, std::int64_t b) { return std::min(a, b); }

std::optional<Numbers> where_contents(const OnnxView& node) {
  const Numbers *condition = node.contents(0), *yes = node.contents(1), *no = node.contents(2);
  if (condition == nullptr || yes == nullptr || no == nullptr) return std::nullopt;
  const std::size_t size = std::max({condition->size(), yes->size(), no->size()});
  const auto pick = [&](const Numbers& numbers, std::size_t i) -> Number {
    if (numbers.size() == 1) return numbers.front();
    return i < numbers.size() ? Number(numbers[i]) : Number();
  };
  Numbers result;
  for (std::size_t i = 0; i < size; ++i) {
    const Number test = pick(*condition, i);
    const Number value = test ? pick(*test != 0 ? *yes : *no, i) : Number();
    if (!value) return std::nullopt;
    result.push_back(*value);
  }
  return result;
}

std::optional<Numbers> fill_contents(const OnnxView& node) {
  const Numbers* sizes = node.contents(0);
  if (sizes == nullptr || sizes->size() > 1) return std::nullopt;
  const std::int64_t count = sizes->empty() ? 1 : sizes->front();
  const auto* dtype = node.node().find<std::string>("dtype");
  if (dtype == nullptr || (*dtype != "i64" && *dtype != "i32") || count < 0 ||
      count > static_cast<std::int64_t>(kMostContents))
    return std::nullopt;
  return Numbers(static_cast<std::size_t>(count), node.node().integer("fill", 0));
}

std::optional<Numbers> range_contents(const OnnxView& node) {
  const Numbers *start = node.contents(0), *limit = node.contents(1), *step = node.contents(2);
  if (start == nullptr || limit == nullptr || step == nullptr || start->size() != 1 || limit->size() != 1 ||
      *step != Numbers{1})
    return std::nullopt;
  const std::int64_t from = start->front(), to = limit->front();
  std::int64_t count = 0;
  if (to < from || __builtin_sub_overflow(to, from, &count) || count > static_cast<std::int64_t>(kMostContents))
    return std::nullopt;
  Numbers result;
  for (std::int64_t i = from; i < to; ++i) result.push_back(i);
  return result;
}

std::optional<Numbers> product_contents(const OnnxView& node) {
  const Numbers* numbers = node.contents(0);
  if (numbers == nullptr || node.shape(0) == nullptr || node.shape(0)->size() != 1) return std::nullopt;
  Number product = 1;
  for (const std::int64_t number : *numbers) {
    product = multiply(*product, number);
    if (!product) return std::nullopt;
  }
  return Numbers{*product};
}

}  // namespace

std::optional<Numbers> compute_contents(const OnnxView& node) {
  const std::string_view type = node.node().type;
  if (type == "Shape") return shape_contents(node);
  if (type == "Identity" || type == "Squeeze" || type == "Unsqueeze" || type == "Reshape" || type == "Flatten")
    return copy_contents(node);
  if (type == "Cast")
    return node.node().integer("to", 0) == 7 || node.node().integer("to", 0) == 6 ? copy_contents(node) : std::nullopt;
  if (type == "Concat") return concat_contents(node);
  if (type == "Gather") return gather_contents(node);
  if (type == "Slice") return slice_contents(node);
  if (type == "Add") return combine(node, add);
  if (type == "Sub") return combine(node, subtract);
  if (type == "Mul") return combine(node, multiply);
  if (type == "Div") return combine(node, divide);
  if (type == "Equal") return combine(node, equal);
  if (type == "Max") return combine(node, larger);
  if (type == "Min") return combine(node, smaller);
  if (type == "Where") return where_contents(node);
  if (type == "ConstantOfShape") return fill_contents(node);
  if (type == "Range") return range_contents(node);
  if (type == "ReduceProd") return product_contents(node);
  return std::nullopt;
}

}  // namespace berth

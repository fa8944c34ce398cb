// SPDX-License-Identifier: Apache-2.0
#include "model/shapes/onnx/contents.h"

#include <algorithm>
#include <string_view>

#include "model/shapes/dims.h"
#include "model/shapes/onnx/arithmetic.h"
#include "model/shapes/onnx/dtype.h"
#include "model/sizes.h"

namespace berth {
namespace {

bool is_row(const NodeView& node, std::size_t input) {
  return node.shape(input) != nullptr && node.shape(input)->size() == 1;
}

Contents shape_contents(const NodeView& node) {
  const Shape* shape = node.shape(0);
  if (shape == nullptr) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(shape->size());
  const auto bound = [&](std::int64_t at) { return std::clamp(at < 0 ? at + rank : at, std::int64_t{0}, rank); };
  PartialNumbers sizes;
  for (std::int64_t i = bound(node.integer("start", 0)); i < bound(node.integer("end", rank)); ++i) {
    const Dim& dim = (*shape)[static_cast<std::size_t>(i)];
    sizes.push_back(dim.known() ? Number(dim.size) : Number());
  }
  return sizes;
}

Contents size_contents(const NodeView& node) {
  if (node.shape(0) == nullptr) return std::nullopt;
  return PartialNumbers{num_elements(*node.shape(0))};
}

Contents copy_contents(const NodeView& node) {
  auto numbers = node.partial(0);
  return numbers && numbers->size() <= kMostComputed ? numbers : std::nullopt;
}

Contents cast_contents(const NodeView& node) {
  const auto to = dtype_of_onnx(node.integer("to", 0));
  auto numbers = copy_contents(node);
  if (!numbers || !to) return std::nullopt;
  if (*to == DType::kBool) {
    for (Number& number : *numbers) number = number ? Number(*number != 0 ? 1 : 0) : number;
    return numbers;
  }
  return is_floating(*to) || bits_of(*to) >= 32 ? numbers : std::nullopt;
}

// Of an input without known contents: as many open numbers as it has elements.
Contents part_of_concat(const NodeView& node, std::size_t input) {
  if (auto numbers = node.partial(input)) return numbers;
  if (!is_row(node, input)) return std::nullopt;
  const Dim& length = node.shape(input)->front();
  if (!length.known() || length.size > static_cast<std::int64_t>(kMostComputed)) return std::nullopt;
  return PartialNumbers(static_cast<std::size_t>(length.size));
}

Contents concat_contents(const NodeView& node) {
  PartialNumbers all;
  for (std::size_t i = 0; i < node.num_inputs(); ++i) {
    const auto part = part_of_concat(node, i);
    if (!part || (node.shape(i) != nullptr && node.shape(i)->size() > 1)) return std::nullopt;
    all.insert(all.end(), part->begin(), part->end());
    if (all.size() > kMostComputed) return std::nullopt;
  }
  return all;
}

Contents gather_contents(const NodeView& node) {
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

Contents slice_contents(const NodeView& node) {
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

Contents fill_contents(const NodeView& node) {
  const auto* sizes = node.contents(0);
  if (sizes == nullptr || sizes->size() > 1) return std::nullopt;
  const std::int64_t count = sizes->empty() ? 1 : sizes->front();
  const auto* dtype = node.node().find<std::string>("dtype");
  if (dtype == nullptr || (*dtype != "i64" && *dtype != "i32") || count < 0 ||
      count > static_cast<std::int64_t>(kMostComputed))
    return std::nullopt;
  return PartialNumbers(static_cast<std::size_t>(count), Number(node.integer("fill", 0)));
}

Contents range_contents(const NodeView& node) {
  const Number start = node.number(0), limit = node.number(1), step = node.number(2);
  const Number length = start && limit ? difference_of_numbers(*limit, *start) : Number();
  if (!length || step != Number(1) || *length < 0 || *length > static_cast<std::int64_t>(kMostComputed))
    return std::nullopt;
  PartialNumbers result;
  for (std::int64_t i = 0; i < *length; ++i) result.push_back(*start + i);
  return result;
}

Contents product_contents(const NodeView& node) {
  const auto numbers = node.partial(0);
  if (!numbers || !is_row(node, 0)) return std::nullopt;
  Number product = 1;
  for (const Number number : *numbers) product = product && number ? product_of_numbers(*product, *number) : Number();
  return PartialNumbers{product};
}

constexpr ContentsRow kOnnxContents[] = {
    {"Shape", shape_contents},
    {"Size", size_contents},
    {"Identity Squeeze Unsqueeze Reshape Flatten Floor Ceil Round", copy_contents},
    {"Cast", cast_contents},
    {"Concat", concat_contents},
    {"com.microsoft: ConcatTraining", concat_contents},
    {"Gather", gather_contents},
    {"Slice", slice_contents},
    {"Add", contents_of_sum},
    {"Sub", contents_of_difference},
    {"Mul", contents_of_product},
    {"Div", contents_of_quotient},
    {"Mod", contents_of_remainder},
    {"Neg", contents_of_negative},
    {"Max", contents_of_larger},
    {"Min", contents_of_smaller},
    {"Equal", contents_of_equal},
    {"Less", contents_of_less},
    {"LessOrEqual", contents_of_less_or_equal},
    {"Greater", contents_of_greater},
    {"GreaterOrEqual", contents_of_greater_or_equal},
    {"And", contents_of_both},
    {"Or", contents_of_either},
    {"Not", contents_of_not},
    {"Where", contents_of_where},
    {"ConstantOfShape", fill_contents},
    {"Range", range_contents},
    {"ReduceProd", product_contents},
};

}  // namespace

std::vector<Contents> compute_contents(const NodeView& node) {
  static const ContentsTable table{kOnnxContents};
  if (node.type() == "com.microsoft.BroadcastGradientArgs") return contents_of_broadcast_axes(node);
  const ContentsRule rule = table.find(node.type());
  return rule != nullptr ? std::vector<Contents>{rule(node)} : std::vector<Contents>();
}

}  // namespace berth

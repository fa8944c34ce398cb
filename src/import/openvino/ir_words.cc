// SPDX-License-Identifier: Apache-2.0
#include "import/openvino/ir_words.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "base/text.h"

namespace berth::openvino {
namespace {

struct ElementType {
  std::string_view name;  // in small letters
  DType dtype;
};

constexpr std::array kElementTypes{
    ElementType{"f64", DType::kF64},      ElementType{"fp64", DType::kF64},  ElementType{"f32", DType::kF32},
    ElementType{"fp32", DType::kF32},     ElementType{"f16", DType::kF16},   ElementType{"fp16", DType::kF16},
    ElementType{"bf16", DType::kBF16},    ElementType{"f8e4m3", DType::kF8}, ElementType{"f8e5m2", DType::kF8},
    ElementType{"f8e8m0", DType::kF8},    ElementType{"hf8", DType::kF8},    ElementType{"bf8", DType::kF8},
    ElementType{"f4e2m1", DType::kI4},    ElementType{"nf4", DType::kI4},    ElementType{"i64", DType::kI64},
    ElementType{"u64", DType::kI64},      ElementType{"i32", DType::kI32},   ElementType{"u32", DType::kI32},
    ElementType{"i16", DType::kI16},      ElementType{"u16", DType::kI16},   ElementType{"i8", DType::kI8},
    ElementType{"u8", DType::kU8},        ElementType{"u6", DType::kU8},     ElementType{"i4", DType::kI4},
    ElementType{"u4", DType::kI4},        ElementType{"u3", DType::kI4},     ElementType{"u2", DType::kI4},
    ElementType{"u1", DType::kI4},        ElementType{"bin", DType::kI4},    ElementType{"bool", DType::kBool},
    ElementType{"boolean", DType::kBool},
};

constexpr std::array<std::string_view, 14> kLists{
    "strides", "dilations",   "pads_begin", "pads_end", "kernel",        "output_padding",   "shape",
    "axes",    "block_shape", "begin_mask", "end_mask", "new_axis_mask", "shrink_axis_mask", "ellipsis_mask"};

template <typename Number>
std::optional<Number> number_in(std::string_view text) {
  text = trim(text);
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, failed] = std::from_chars(text.data(), end, value);
  if (failed != std::errc() || stop != end) return std::nullopt;
  if (!std::isfinite(static_cast<double>(value))) return std::nullopt;
  return value;
}

template <typename Number>
std::optional<std::vector<Number>> numbers_in(std::string_view text) {
  std::vector<Number> numbers;
  if (trim(text).empty()) return numbers;
  for (const std::string_view word : split(text, ',')) {
    const auto number = number_in<Number>(word);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

constexpr std::string_view kTorchPrefix = "__module.";
constexpr std::string_view kBiasSplitOff = "/WithoutBiases";  // the converter's half of an op that had a bias

}  // namespace

std::optional<DType> element_type(std::string_view name) {
  constexpr std::size_t kLongest = 8;
  if (name.size() > kLongest) return std::nullopt;
  std::string small(name);
  std::ranges::transform(small, small.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  for (const ElementType& row : kElementTypes) {
    if (row.name == small) return row.dtype;
  }
  return std::nullopt;
}

Attribute typed_attribute(std::string_view name, std::string_view text) {
  if (text == "true") return std::int64_t{1};
  if (text == "false") return std::int64_t{0};
  const bool is_list = std::ranges::find(kLists, name) != kLists.end() || text.find(',') != std::string_view::npos;
  if (is_list) {
    if (auto whole = numbers_in<std::int64_t>(text)) return *std::move(whole);
    if (auto real = numbers_in<double>(text)) return *std::move(real);
    return std::string(text);
  }
  if (const auto whole = number_in<std::int64_t>(text)) return *whole;
  if (const auto real = number_in<double>(text)) return *real;
  return std::string(text);
}

std::string module_path(std::string_view layer_name) {
  if (layer_name.starts_with(kTorchPrefix)) {
    layer_name.remove_prefix(kTorchPrefix.size());
    return std::string(layer_name.substr(0, layer_name.find('/')));
  }
  if (layer_name.ends_with(kBiasSplitOff)) layer_name.remove_suffix(kBiasSplitOff.size());
  const std::vector<std::string_view> parts = split(layer_name, '/');
  std::string path;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    const std::string_view part = parts[i], next = parts[i + 1];
    const bool begins_next = next.size() > part.size() && next.starts_with(part) && next[part.size()] == '.';
    if (part.empty() || begins_next) continue;
    if (!path.empty()) path += '.';
    path += part;
  }
  return path;
}

}  // namespace berth::openvino

// SPDX-License-Identifier: Apache-2.0
#include "import/openvino/ir_attributes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/text.h"

namespace berth::openvino {
namespace {

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

}  // namespace

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

}  // namespace berth::openvino

// SPDX-License-Identifier: Apache-2.0
#include "import/openvino/element_type.h"

#include <algorithm>
#include <array>
#include <string>

namespace berth::openvino {
namespace {

struct Row {
  std::string_view name;  // in small letters
  DType dtype;
};

constexpr std::array kTypes{
    Row{"f64", DType::kF64},   Row{"fp64", DType::kF64},  Row{"f32", DType::kF32},      Row{"fp32", DType::kF32},
    Row{"f16", DType::kF16},   Row{"fp16", DType::kF16},  Row{"bf16", DType::kBF16},    Row{"f8e4m3", DType::kF8},
    Row{"f8e5m2", DType::kF8}, Row{"f8e8m0", DType::kF8}, Row{"hf8", DType::kF8},       Row{"bf8", DType::kF8},
    Row{"f4e2m1", DType::kI4}, Row{"nf4", DType::kI4},    Row{"i64", DType::kI64},      Row{"u64", DType::kI64},
    Row{"i32", DType::kI32},   Row{"u32", DType::kI32},   Row{"i16", DType::kI16},      Row{"u16", DType::kI16},
    Row{"i8", DType::kI8},     Row{"u8", DType::kU8},     Row{"u6", DType::kU8},        Row{"i4", DType::kI4},
    Row{"u4", DType::kI4},     Row{"u3", DType::kI4},     Row{"u2", DType::kI4},        Row{"u1", DType::kI4},
    Row{"bin", DType::kI4},    Row{"bool", DType::kBool}, Row{"boolean", DType::kBool},
};

}  // namespace

std::optional<DType> element_type(std::string_view name) {
  constexpr std::size_t kLongest = 8;
  if (name.size() > kLongest) return std::nullopt;
  std::string small(name);
  std::ranges::transform(small, small.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  for (const Row& row : kTypes) {
    if (row.name == small) return row.dtype;
  }
  return std::nullopt;
}

}  // namespace berth::openvino

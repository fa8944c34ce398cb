// SPDX-License-Identifier: Apache-2.0
#include "import/openvino/element_type.h"

#include <algorithm>
#include <array>
#include <string>

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

}  // namespace berth::openvino

// SPDX-License-Identifier: Apache-2.0
#include "model/shapes/onnx/dtype.h"

#include <array>

namespace berth {
namespace {

constexpr std::array<std::optional<DType>, 27> kTypes{
    std::nullopt, DType::kF32,  DType::kU8,   DType::kI8,  DType::kI16, DType::kI16, DType::kI32,
    DType::kI64,  std::nullopt, DType::kBool, DType::kF16, DType::kF64, DType::kI32, DType::kI64,
    DType::kC64,  DType::kC128, DType::kBF16, DType::kF8,  DType::kF8,  DType::kF8,  DType::kF8,
    DType::kI4,   DType::kI4,   DType::kI4,   DType::kF8,  DType::kI4,  DType::kI4};

}  // namespace

std::optional<DType> dtype_of_onnx(std::int64_t number) {
  if (number < 0 || number >= static_cast<std::int64_t>(kTypes.size())) return std::nullopt;
  return kTypes[static_cast<std::size_t>(number)];
}

}  // namespace berth

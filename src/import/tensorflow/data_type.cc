// SPDX-License-Identifier: Apache-2.0
#include "import/tensorflow/data_type.h"

#include <algorithm>
#include <array>

namespace berth::tensorflow {
namespace {

struct Row {
  std::string_view name;
  std::int64_t number;
  std::optional<DType> dtype;
};

constexpr std::array kTypes{Row{"DT_INVALID", 0, std::nullopt},     Row{"DT_FLOAT", 1, DType::kF32},
                            Row{"DT_DOUBLE", 2, DType::kF64},       Row{"DT_INT32", kInt32Type, DType::kI32},
                            Row{"DT_UINT8", 4, DType::kU8},         Row{"DT_INT16", 5, DType::kI16},
                            Row{"DT_INT8", 6, DType::kI8},          Row{"DT_STRING", 7, std::nullopt},
                            Row{"DT_COMPLEX64", 8, DType::kC64},    Row{"DT_INT64", kInt64Type, DType::kI64},
                            Row{"DT_BOOL", 10, DType::kBool},       Row{"DT_QINT8", 11, DType::kI8},
                            Row{"DT_QUINT8", 12, DType::kU8},       Row{"DT_QINT32", 13, DType::kI32},
                            Row{"DT_BFLOAT16", 14, DType::kBF16},   Row{"DT_QINT16", 15, DType::kI16},
                            Row{"DT_QUINT16", 16, DType::kI16},     Row{"DT_UINT16", 17, DType::kI16},
                            Row{"DT_COMPLEX128", 18, DType::kC128}, Row{"DT_HALF", 19, DType::kF16},
                            Row{"DT_RESOURCE", 20, std::nullopt},   Row{"DT_VARIANT", 21, std::nullopt},
                            Row{"DT_UINT32", 22, DType::kI32},      Row{"DT_UINT64", 23, DType::kI64},
                            Row{"DT_FLOAT8_E5M2", 24, DType::kF8},  Row{"DT_FLOAT8_E4M3FN", 25, DType::kF8},
                            Row{"DT_INT4", 29, DType::kI4},         Row{"DT_UINT4", 30, DType::kI4}};
constexpr std::int64_t kReference = 100;

}  // namespace

std::optional<std::int64_t> data_type_number(std::string_view name) {
  constexpr std::string_view kSuffix = "_REF";
  const bool reference = name.ends_with(kSuffix);
  if (reference) name.remove_suffix(kSuffix.size());
  const auto row = std::ranges::find(kTypes, name, &Row::name);
  if (row == kTypes.end()) return std::nullopt;
  return row->number + (reference ? kReference : 0);
}

std::optional<DType> dtype_of(std::int64_t data_type) {
  if (data_type > kReference) data_type -= kReference;
  const auto row = std::ranges::find(kTypes, data_type, &Row::number);
  return row != kTypes.end() ? row->dtype : std::nullopt;
}

}  // namespace berth::tensorflow

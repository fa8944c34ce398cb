// SPDX-License-Identifier: Apache-2.0
#include "import/tensorflow/data_type.h"

#include <algorithm>
#include <array>

namespace berth::tensorflow {
namespace {

struct DataTypeRow {
  std::string_view name;
  std::int64_t number;
  std::optional<DType> dtype;
};

constexpr std::array kDataTypes{
    DataTypeRow{"DT_INVALID", 0, std::nullopt},     DataTypeRow{"DT_FLOAT", 1, DType::kF32},
    DataTypeRow{"DT_DOUBLE", 2, DType::kF64},       DataTypeRow{"DT_INT32", kInt32Type, DType::kI32},
    DataTypeRow{"DT_UINT8", 4, DType::kU8},         DataTypeRow{"DT_INT16", 5, DType::kI16},
    DataTypeRow{"DT_INT8", 6, DType::kI8},          DataTypeRow{"DT_STRING", 7, std::nullopt},
    DataTypeRow{"DT_COMPLEX64", 8, DType::kC64},    DataTypeRow{"DT_INT64", kInt64Type, DType::kI64},
    DataTypeRow{"DT_BOOL", 10, DType::kBool},       DataTypeRow{"DT_QINT8", 11, DType::kI8},
    DataTypeRow{"DT_QUINT8", 12, DType::kU8},       DataTypeRow{"DT_QINT32", 13, DType::kI32},
    DataTypeRow{"DT_BFLOAT16", 14, DType::kBF16},   DataTypeRow{"DT_QINT16", 15, DType::kI16},
    DataTypeRow{"DT_QUINT16", 16, DType::kI16},     DataTypeRow{"DT_UINT16", 17, DType::kI16},
    DataTypeRow{"DT_COMPLEX128", 18, DType::kC128}, DataTypeRow{"DT_HALF", 19, DType::kF16},
    DataTypeRow{"DT_RESOURCE", 20, std::nullopt},   DataTypeRow{"DT_VARIANT", 21, std::nullopt},
    DataTypeRow{"DT_UINT32", 22, DType::kI32},      DataTypeRow{"DT_UINT64", 23, DType::kI64},
    DataTypeRow{"DT_FLOAT8_E5M2", 24, DType::kF8},  DataTypeRow{"DT_FLOAT8_E4M3FN", 25, DType::kF8},
    DataTypeRow{"DT_INT4", 29, DType::kI4},         DataTypeRow{"DT_UINT4", 30, DType::kI4}};
constexpr std::int64_t kReference = 100;

}  // namespace

std::optional<std::int64_t> data_type_number(std::string_view name) {
  constexpr std::string_view kSuffix = "_REF";
  const bool reference = name.ends_with(kSuffix);
  if (reference) name.remove_suffix(kSuffix.size());
  const auto row = std::ranges::find(kDataTypes, name, &DataTypeRow::name);
  if (row == kDataTypes.end()) return std::nullopt;
  return row->number + (reference ? kReference : 0);
}

std::optional<DType> dtype_of(std::int64_t data_type) {
  if (data_type > kReference) data_type -= kReference;
  const auto row = std::ranges::find(kDataTypes, data_type, &DataTypeRow::number);
  return row != kDataTypes.end() ? row->dtype : std::nullopt;
}

}  // namespace berth::tensorflow

// SPDX-License-Identifier: Apache-2.0
#include "io/onnx/onnx_tensor.h"

#include <array>

#include "base/units.h"
#include "graph/builder.h"
#include "io/wire.h"

namespace berth {
namespace {

constexpr std::int64_t kMostContents = 1024;  // elements of a constant that may say a shape

// By TensorProto.DataType; strings have no size that matters.
constexpr std::array<std::optional<DType>, 24> kTypes{
    std::nullopt, DType::kF32,  DType::kU8,  DType::kI8,  DType::kI16, DType::kI16, DType::kI32, DType::kI64,
    std::nullopt, DType::kBool, DType::kF16, DType::kF64, DType::kI32, DType::kI64, DType::kC64, DType::kC128,
    DType::kBF16, DType::kF8,   DType::kF8,  DType::kF8,  DType::kF8,  DType::kI4,  DType::kI4,  DType::kI4};

bool is_whole(DType dtype) { return dtype == DType::kI64 || dtype == DType::kI32 || dtype == DType::kBool; }

// TensorShapeProto.Dimension
Result<Dim> read_dim(std::string_view bytes) {
  Dim dim;
  WireReader field(bytes);
  while (field.next()) {
    if (field.is(1, WireType::kVarint)) dim.size = static_cast<std::int64_t>(field.varint());
    if (field.is(2, WireType::kBytes)) dim.symbol = field.bytes();
  }
  if (field.error()) return *field.error();
  if (dim.size < 0) dim.size = -1;
  return dim;
}

Result<Shape> read_shape(std::string_view bytes) {
  Shape shape;
  WireReader field(bytes);
  while (field.next()) {
    if (!field.is(1, WireType::kBytes)) continue;
    if (shape.size() == static_cast<std::size_t>(kMaxRank))
      return bad_input("a shape has more than {} dimensions", kMaxRank);
    BERTH_TRY(Dim dim, read_dim(field.bytes()));
    shape.push_back(std::move(dim));
  }
  if (field.error()) return *field.error();
  return shape;
}

// TypeProto.Tensor
Status read_tensor_type(std::string_view bytes, Value& value) {
  WireReader field(bytes);
  while (field.next()) {
    if (field.is(1, WireType::kVarint)) value.dtype = dtype_of_onnx(static_cast<std::int64_t>(field.varint()));
    if (field.is(2, WireType::kBytes)) {
      BERTH_TRY(value.shape, read_shape(field.bytes()));
    }
  }
  if (field.error()) return *field.error();
  return {};
}

std::optional<std::int64_t> num_elements(const std::vector<std::int64_t>& dims) {
  std::int64_t count = 1;
  for (const std::int64_t dim : dims) {
    if (dim < 0 || (dim > 0 && count > kMaxTotalBytes / dim)) return std::nullopt;
    count *= dim;
  }
  return count;
}

std::vector<std::int64_t> unpack(std::string_view raw, std::size_t width) {
  std::vector<std::int64_t> numbers;
  for (std::size_t at = 0; at + width <= raw.size(); at += width) {
    std::uint64_t value = 0;
    for (std::size_t i = width; i-- > 0;) value = value << 8 | static_cast<std::uint8_t>(raw[at + i]);
    const int shift = static_cast<int>(64 - 8 * width);  // the sign of narrower numbers
    numbers.push_back(static_cast<std::int64_t>(value << shift) >> shift);
  }
  return numbers;
}

}  // namespace

std::optional<DType> dtype_of_onnx(std::int64_t elem_type) {
  if (elem_type < 0 || elem_type >= static_cast<std::int64_t>(kTypes.size())) return std::nullopt;
  return kTypes[static_cast<std::size_t>(elem_type)];
}

Result<Value> read_onnx_tensor(std::string_view bytes) {
  Value value;
  std::vector<std::int64_t> dims, numbers;
  std::string_view raw;
  bool is_external = false;
  WireReader field(bytes);
  while (field.next()) {
    if (field.field() == 1 && !append_integers(field, dims)) return bad_input("the shape of a weight is damaged");
    if (field.is(2, WireType::kVarint)) value.dtype = dtype_of_onnx(static_cast<std::int64_t>(field.varint()));
    if (field.is(8, WireType::kBytes)) value.name = field.bytes();
    if (field.is(9, WireType::kBytes)) raw = field.bytes();
    if (field.is(14, WireType::kVarint)) is_external = field.varint() == 1;
    const bool is_small = field.type() == WireType::kVarint || field.bytes().size() <= 10 * kMostContents;
    if ((field.field() == 5 || field.field() == 7) && is_small && numbers.size() <= kMostContents &&
        !append_integers(field, numbers))
      return bad_input("a weight is damaged");
  }
  if (field.error()) return *field.error();
  if (dims.size() > static_cast<std::size_t>(kMaxRank))
    return bad_input("a weight has more than {} dimensions", kMaxRank);
  const auto count = num_elements(dims);
  if (!count) return bad_input("weight '{}': its shape is negative or too large", value.name);
  value.shape.emplace();
  for (const std::int64_t dim : dims) value.shape->push_back({dim, {}});
  if (is_external || *count > kMostContents || !value.dtype || !is_whole(*value.dtype)) return value;
  if (!raw.empty() && raw.size() <= 8 * kMostContents)
    numbers = unpack(raw, static_cast<std::size_t>(bits_of(*value.dtype)) / 8);
  if (static_cast<std::int64_t>(numbers.size()) == *count) value.contents = std::move(numbers);
  return value;
}

Result<Value> read_onnx_value_info(std::string_view bytes) {
  Value value;
  WireReader field(bytes);
  while (field.next()) {
    if (field.is(1, WireType::kBytes)) value.name = field.bytes();
    if (!field.is(2, WireType::kBytes)) continue;
    WireReader type(field.bytes());
    while (type.next()) {
      if (type.is(1, WireType::kBytes)) BERTH_RETURN_IF_ERROR(read_tensor_type(type.bytes(), value));
    }
    if (type.error()) return *type.error();
  }
  if (field.error()) return *field.error();
  return value;
}

}  // namespace berth

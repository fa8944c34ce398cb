// SPDX-License-Identifier: Apache-2.0
#include "import/onnx/onnx_tensor.h"

#include <bit>
#include <cmath>

#include "files/protobuf/wire.h"
#include "graph/builder.h"
#include "model/shapes/onnx/dtype.h"
#include "model/sizes.h"

namespace berth {
namespace {

constexpr std::int64_t kMostContents = 1024;  // elements of a constant that may say a shape
constexpr std::int64_t kMostFloats = 8;       // numbers with a point that may: factors of a Resize, bounds of a Min
constexpr double kLargestWhole = 9007199254740992.0;  // 2^53

bool is_whole(DType dtype) { return dtype == DType::kI64 || dtype == DType::kI32 || dtype == DType::kBool; }

// TensorShapeProto.Dimension
Result<Dim> read_dim(std::string_view bytes) {
  Dim dim;
  WireReader field(bytes);
  while (field.next()) {
    if (field.is(1, WireType::kVarint)) dim.size = static_cast<std::int64_t>(field.varint());
    if (field.is(2, WireType::kBytes) && field.bytes().size() <= kLongestDimName) dim.symbol = field.bytes();
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

// Numbers with a point, if all of them are whole.
std::optional<std::vector<std::int64_t>> as_whole(const std::vector<double>& numbers) {
  std::vector<std::int64_t> whole;
  for (const double number : numbers) {
    if (!(std::abs(number) <= kLargestWhole) || std::trunc(number) != number) return std::nullopt;
    whole.push_back(static_cast<std::int64_t>(number));
  }
  return whole;
}

std::vector<double> unpack_floats(std::string_view raw, DType dtype) {
  std::vector<double> numbers;
  for (const std::int64_t bits : unpack(raw, dtype == DType::kF64 ? 8 : 4)) {
    numbers.push_back(dtype == DType::kF64
                          ? std::bit_cast<double>(bits)
                          : static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
  }
  return numbers;
}

// The fields of a TensorProto that say anything here.
struct RawTensor {
  std::string name = {};
  std::optional<DType> dtype = {};
  std::vector<std::int64_t> dims = {}, numbers = {};
  std::vector<double> floats = {};
  std::string_view raw = {};
  bool is_external = false;
};

Result<RawTensor> read_fields(std::string_view bytes) {
  RawTensor tensor;
  WireReader field(bytes);
  while (field.next()) {
    const std::size_t length = field.type() == WireType::kBytes ? field.bytes().size() : 0;
    if (field.field() == 1 && (length > 10 * kMaxRank || !append_integers(field, tensor.dims)))
      return bad_input("the shape of a weight is damaged");
    if (field.is(2, WireType::kVarint)) tensor.dtype = dtype_of_onnx(static_cast<std::int64_t>(field.varint()));
    if (field.field() == 4 && length <= 4 * kMostFloats && tensor.floats.size() <= kMostFloats &&
        !append_floats(field, tensor.floats))
      return bad_input("a weight is damaged");
    if ((field.field() == 5 || field.field() == 7) && length <= 10 * kMostContents &&
        tensor.numbers.size() <= kMostContents && !append_integers(field, tensor.numbers))
      return bad_input("a weight is damaged");
    if (field.is(8, WireType::kBytes)) tensor.name = field.bytes();
    if (field.is(9, WireType::kBytes)) tensor.raw = field.bytes();
    if (field.is(14, WireType::kVarint)) tensor.is_external = field.varint() == 1;
    if (tensor.dims.size() > static_cast<std::size_t>(kMaxRank))
      return bad_input("a weight has more than {} dimensions", kMaxRank);
  }
  if (field.error()) return *field.error();
  return tensor;
}

// Of a small tensor of `count` elements that is stored in the file.
std::optional<std::vector<std::int64_t>> contents_of(RawTensor tensor, std::int64_t count) {
  std::optional<std::vector<std::int64_t>> contents;
  if (is_whole(*tensor.dtype) && count <= kMostContents) {
    contents = std::move(tensor.numbers);
    if (!tensor.raw.empty() && tensor.raw.size() <= 8 * kMostContents)
      contents = unpack(tensor.raw, static_cast<std::size_t>(bits_of(*tensor.dtype)) / 8);
  }
  if ((*tensor.dtype == DType::kF32 || *tensor.dtype == DType::kF64) && count <= kMostFloats) {
    if (!tensor.raw.empty() && tensor.raw.size() <= 8 * kMostFloats)
      tensor.floats = unpack_floats(tensor.raw, *tensor.dtype);
    contents = as_whole(tensor.floats);
  }
  if (contents && static_cast<std::int64_t>(contents->size()) != count) contents.reset();
  return contents;
}

Result<Value> value_of(RawTensor tensor) {
  Value value;
  value.name = tensor.name;
  value.dtype = tensor.dtype;
  value.shape.emplace();
  for (const std::int64_t dim : tensor.dims) value.shape->push_back({dim, {}});
  const auto count = num_elements(*value.shape);
  if (!count) return bad_input("weight '{}': its shape is negative or too large", tensor.name);
  if (!tensor.is_external && tensor.dtype) value.contents = contents_of(std::move(tensor), *count);
  return value;
}

}  // namespace

Result<Value> read_onnx_tensor(std::string_view bytes) {
  BERTH_TRY(RawTensor tensor, read_fields(bytes));
  return value_of(std::move(tensor));
}

Result<Value> read_onnx_sparse_tensor(std::string_view bytes) {
  RawTensor tensor;
  WireReader field(bytes);
  while (field.next()) {
    if (field.is(1, WireType::kBytes)) {
      BERTH_TRY(const RawTensor values, read_fields(field.bytes()));
      tensor.name = values.name;
      tensor.dtype = values.dtype;
    }
    const bool is_long = field.type() == WireType::kBytes && field.bytes().size() > 10 * kMaxRank;
    if (field.field() == 3 && (is_long || !append_integers(field, tensor.dims)))
      return bad_input("the shape of a sparse weight is damaged");
    if (tensor.dims.size() > static_cast<std::size_t>(kMaxRank))
      return bad_input("a sparse weight has more than {} dimensions", kMaxRank);
  }
  if (field.error()) return *field.error();
  tensor.is_external = true;  // no contents
  return value_of(std::move(tensor));
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

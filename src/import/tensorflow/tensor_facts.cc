// SPDX-License-Identifier: Apache-2.0
#include "import/tensorflow/tensor_facts.h"

#include "files/protobuf/wire.h"
#include "import/tensorflow/schema.h"
#include "model/shapes/dims.h"
#include "model/shapes/tensorflow/contents.h"

namespace berth::tensorflow {
namespace {

constexpr std::size_t kLongestSymbol = 64;

Dim read_dim(std::string_view bytes) {
  Dim dim{0};  // what protobuf leaves out is zero
  for (WireReader field(bytes); field.next();) {
    if (field.is(DimField::kSize, WireType::kVarint))
      dim.size = known_dim(static_cast<std::int64_t>(field.varint())).size;
    const bool named = field.is(DimField::kName, WireType::kBytes) && field.bytes().size() <= kLongestSymbol;
    if (named) dim.symbol = std::string(field.bytes());
  }
  return dim;
}

// Number of elements; none if unknown or more than we look at.
std::optional<std::size_t> few_elements(const std::optional<Shape>& shape) {
  if (!shape) return std::nullopt;
  std::size_t count = 1;
  for (const Dim& dim : *shape) {
    if (!dim.known() || dim.size > static_cast<std::int64_t>(kMostContents)) return std::nullopt;
    count *= static_cast<std::size_t>(dim.size);
    if (count > kMostContents) return std::nullopt;
  }
  return count;
}

std::vector<std::int64_t> little_endian(std::string_view bytes, std::size_t width) {
  std::vector<std::int64_t> numbers;
  for (std::size_t at = 0; at + width <= bytes.size(); at += width) {
    std::uint64_t value = 0;
    for (std::size_t i = width; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    numbers.push_back(width == 4 ? static_cast<std::int32_t>(static_cast<std::uint32_t>(value))
                                 : static_cast<std::int64_t>(value));
  }
  return numbers;
}

// Whole numbers of a small constant: as raw bytes, or as a list whose last number fills up the rest.
std::optional<std::vector<std::int64_t>> read_contents(std::string_view bytes, const TensorFacts& facts) {
  if (facts.data_type != kInt32Type && facts.data_type != kInt64Type) return std::nullopt;
  const auto count = few_elements(facts.shape);
  if (!count) return std::nullopt;
  const bool narrow = facts.data_type == kInt32Type;
  std::vector<std::int64_t> numbers;
  std::string_view raw;
  for (WireReader field(bytes); field.next();) {
    if (field.is(TensorField::kContent, WireType::kBytes)) raw = field.bytes();
    if (field.field() != (narrow ? TensorField::kInt32 : TensorField::kInt64)) continue;
    const bool short_list = field.type() != WireType::kBytes || field.bytes().size() <= kMostContents * 10;
    if (!short_list || numbers.size() > kMostContents || !append_integers(field, numbers)) return std::nullopt;
  }
  if (!raw.empty()) {
    const std::size_t width = narrow ? 4 : 8;
    if (raw.size() != *count * width) return std::nullopt;
    return little_endian(raw, width);
  }
  if (numbers.size() > *count) return std::nullopt;
  numbers.resize(*count, numbers.empty() ? 0 : numbers.back());
  return numbers;
}

}  // namespace

std::optional<Shape> read_shape(std::string_view bytes) {
  Shape shape;
  for (WireReader field(bytes); field.next();) {
    if (field.is(ShapeField::kUnknownRank, WireType::kVarint) && field.varint() != 0) return std::nullopt;
    if (!field.is(ShapeField::kDim, WireType::kBytes)) continue;
    if (shape.size() == kMostAxes) return std::nullopt;
    shape.push_back(read_dim(field.bytes()));
  }
  return shape;
}

TensorFacts read_tensor(std::string_view bytes) {
  TensorFacts facts;
  std::string_view shape;
  for (WireReader field(bytes); field.next();) {
    if (field.is(TensorField::kDType, WireType::kVarint)) facts.data_type = static_cast<std::int64_t>(field.varint());
    if (field.is(TensorField::kShape, WireType::kBytes)) shape = field.bytes();
  }
  facts.shape = read_shape(shape);
  facts.contents = read_contents(bytes, facts);
  return facts;
}

}  // namespace berth::tensorflow

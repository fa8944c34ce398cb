// SPDX-License-Identifier: Apache-2.0
#include "format/graph_fields.h"

#include <array>

namespace berth {
namespace {

constexpr std::int64_t kLastOp = static_cast<std::int64_t>(kMaxOps) - 1;
constexpr std::int64_t kLastOutput = static_cast<std::int64_t>(kMaxTensors) - 1;
enum TensorField : std::size_t { kDType, kShape };
constexpr std::array<std::string_view, 2> kTensorFields{"dtype", "shape"};

Result<DType> read_dtype(const JsonValue& value) {
  BERTH_TRY(const std::string_view name, value.string());
  if (const auto dtype = dtype_from_name(name)) return *dtype;
  return value.expected("a data type such as \"f32\"");
}

Status read_shape(const JsonValue& value, std::vector<std::int64_t>& shape) {
  shape.clear();
  return value.for_each([&](const JsonValue& dim) -> Status {
    BERTH_TRY(const std::int64_t size, dim.integer());
    if (shape.size() == static_cast<std::size_t>(kMaxRank))
      return value.error(fmt::format("more than {} dimensions", kMaxRank));
    shape.push_back(size);
    return {};
  });
}

Status read_tensor(const JsonValue& value, TensorSpec& tensor) {
  const auto read_field = [&](std::size_t field, const JsonValue& part) -> Status {
    if (field == kShape) return read_shape(part, tensor.shape);
    BERTH_TRY(tensor.dtype, read_dtype(part));
    return {};
  };
  BERTH_TRY(const std::uint32_t seen, value.fields(kTensorFields, UnknownFields::kRefuse, read_field));
  for (std::size_t field = 0; field < kTensorFields.size(); ++field) {
    if ((seen >> field & 1U) == 0) return value.error(fmt::format("\"{}\" is missing", kTensorFields[field]));
  }
  return {};
}

}  // namespace

Result<OpId> read_op_id(const JsonValue& value) {
  BERTH_TRY(const std::int64_t id, value.integer(0, kLastOp));
  return static_cast<OpId>(id);
}

Result<OutputRef> read_output_ref(const JsonValue& value) {
  const auto op = value.at(0), output = value.at(1);
  if (!op || !output || value.size() != 2) return value.expected("a pair [op index, output index]");
  BERTH_TRY(const OpId id, read_op_id(*op));
  BERTH_TRY(const std::int64_t position, output->integer(0, kLastOutput));
  return OutputRef{id, static_cast<int>(position)};
}

Status read_tensors(const JsonValue& value, std::vector<TensorSpec>& tensors) {
  std::size_t count = 0;
  BERTH_RETURN_IF_ERROR(value.for_each([&](const JsonValue& tensor) -> Status {
    if (count == tensors.size()) tensors.emplace_back();
    return read_tensor(tensor, tensors[count++]);
  }));
  tensors.resize(count);
  return {};
}

}  // namespace berth

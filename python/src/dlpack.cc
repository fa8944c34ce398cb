// SPDX-License-Identifier: Apache-2.0
#include "dlpack.h"

#include "bindings.h"

namespace berth::python {
namespace {

// The layout that DLPack prescribes.
struct PackedDevice {
  std::int32_t type, number;
};
struct PackedType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct PackedTensor {
  void* data;
  PackedDevice device;
  std::int32_t rank;
  PackedType type;
  std::int64_t* shape;
  std::int64_t* strides;  // in numbers; null: one row behind the other
  std::uint64_t offset;   // in bytes
};

constexpr std::int32_t kCuda = 2;
constexpr std::uint8_t kUnsigned = 1, kFloat = 2;

bool is_packed(const PackedTensor& tensor) {
  if (tensor.strides == nullptr) return true;
  const bool rows_follow = tensor.shape[0] <= 1 || tensor.strides[0] == tensor.shape[1];
  return rows_follow && (tensor.shape[1] <= 1 || tensor.strides[1] == 1);
}

}  // namespace

CardTable::CardTable(const py::capsule& capsule, Of of, std::size_t columns, const std::string& what)
    : columns_(columns) {
  const auto* tensor = static_cast<const PackedTensor*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
  if (tensor == nullptr) throw py::error_already_set();
  if (tensor->device.type != kCuda || tensor->device.number != 0) {
    throw BadInput(fmt::format("{}: they must be on the GPU cuda:0, where plans are simulated", what));
  }
  if (tensor->rank != 2 || static_cast<std::size_t>(tensor->shape[1]) != columns) {
    throw BadInput(fmt::format("{} on a GPU are [plans, {}]", what, columns));
  }
  const bool is_bytes = of == Of::kBytes;
  const PackedType& type = tensor->type;
  if (type.lanes != 1 || type.code != (is_bytes ? kUnsigned : kFloat) || type.bits != (is_bytes ? 8 : 64)) {
    throw BadInput(fmt::format("{0} on a GPU are {1}: give {0}.to(torch.{1})", what, is_bytes ? "uint8" : "float64"));
  }
  if (!is_packed(*tensor)) throw BadInput(fmt::format("{0} on a GPU lie row by row: give {0}.contiguous()", what));
  data_ = static_cast<const char*>(tensor->data) + tensor->offset;
  rows_ = static_cast<std::size_t>(tensor->shape[0]);
}

}  // namespace berth::python

// SPDX-License-Identifier: Apache-2.0
#include "base/kinds.h"

#include <array>

namespace berth {
namespace {

struct DTypeRow {
  std::string_view name;
  int bits;
};

// In the order of the enumerators.
constexpr std::array kDTypes{DTypeRow{"f64", 64},  DTypeRow{"f32", 32},   DTypeRow{"tf32", 32}, DTypeRow{"f16", 16},
                             DTypeRow{"bf16", 16}, DTypeRow{"f8", 8},     DTypeRow{"i64", 64},  DTypeRow{"i32", 32},
                             DTypeRow{"i16", 16},  DTypeRow{"i8", 8},     DTypeRow{"u8", 8},    DTypeRow{"bool", 8},
                             DTypeRow{"c64", 64},  DTypeRow{"c128", 128}, DTypeRow{"i4", 4}};

constexpr std::array<std::string_view, kDeviceKinds> kKinds{"cpu", "gpu", "tpu", "npu", "fpga"};

}  // namespace

std::string_view name_of(DType dtype) { return kDTypes[static_cast<std::size_t>(dtype)].name; }

std::optional<DType> dtype_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kDTypes.size(); ++i) {
    if (kDTypes[i].name == name) return static_cast<DType>(i);
  }
  return std::nullopt;
}

int bits_of(DType dtype) { return kDTypes[static_cast<std::size_t>(dtype)].bits; }

std::string_view name_of(DeviceKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

std::optional<DeviceKind> device_kind_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (kKinds[i] == name) return static_cast<DeviceKind>(i);
  }
  return std::nullopt;
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
// The vocabulary that graphs and machines share: data types and kinds of devices.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace berth {

enum class DType : std::uint8_t {
  kF64,
  kF32,
  kTF32,
  kF16,
  kBF16,
  kF8,
  kI64,
  kI32,
  kI16,
  kI8,
  kU8,
  kBool,
  kC64,
  kC128,
  kI4
};

std::string_view name_of(DType dtype);  // "f32", "bf16", "i64", "bool", ...
std::optional<DType> dtype_from_name(std::string_view name);
int bits_of(DType dtype);  // 32 for f32, 4 for i4, 8 for bool
constexpr bool is_floating(DType dtype) { return dtype <= DType::kF8; }
static_assert(is_floating(DType::kF8) && !is_floating(DType::kI64));

enum class DeviceKind : std::uint8_t { kCpu, kGpu, kTpu, kNpu, kFpga };
inline constexpr int kDeviceKinds = 5;

std::string_view name_of(DeviceKind kind);  // "cpu", "gpu", ...
std::optional<DeviceKind> device_kind_from_name(std::string_view name);

// Set of device kinds, one bit each.
using KindSet = std::uint8_t;
constexpr KindSet kind_bit(DeviceKind kind) { return static_cast<KindSet>(1U << static_cast<unsigned>(kind)); }
inline constexpr KindSet kAnyKind = (1U << kDeviceKinds) - 1;

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
// CRC-32C (Castagnoli), as TensorBoard's record files want it.
#pragma once

#include <cstdint>
#include <string_view>

namespace berth::learn {

std::uint32_t crc32c(std::string_view bytes);

// A checksum of bytes that hold checksums is weak; records keep it turned and moved.
constexpr std::uint32_t masked(std::uint32_t crc) { return (crc >> 15 | crc << 17) + 0xa282ead8U; }

}  // namespace berth::learn

// SPDX-License-Identifier: Apache-2.0
// Single fields of a message in protobuf's wire format.
#pragma once

#include <cstdint>
#include <string_view>

namespace berth {

// The bytes of the first field of that number, or the last whole number; nothing and 0 if there is none.
std::string_view first_bytes(std::string_view message, std::uint32_t number);
std::uint64_t last_number(std::string_view message, std::uint32_t number);

}  // namespace berth

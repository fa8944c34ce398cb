// SPDX-License-Identifier: Apache-2.0
// Memory traffic of ATen ops that do not read all of their inputs.
#pragma once

#include <span>
#include <string_view>

#include "base/units.h"

namespace berth {

// Bytes an ATen op ("aten.embedding.default") moves, given the bytes of its tensor inputs in order and of all its
// outputs together; -1 where it reads every input and writes every output whole.
Bytes aten_bytes_touched(std::string_view type, std::span<const Bytes> inputs, Bytes outputs);

}  // namespace berth

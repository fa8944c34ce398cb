// SPDX-License-Identifier: Apache-2.0
// Bytes that an op moves through its device's memory, by the rule of its row in the op table.
#pragma once

#include <span>

#include "graph/builder.h"
#include "ops/op_table.h"

namespace berth {

// Given the bytes of the inputs in order and of all outputs together; -1 where the op reads every input and writes
// every output whole, which is what a Graph assumes of ops that state nothing.
Bytes bytes_touched(const Traffic& traffic, std::span<const Bytes> inputs, Bytes outputs);

// Sum of two sizes, at most the largest that a graph may have.
inline Bytes clamped_sum(Bytes a, Bytes b) { return a + b < kMaxTotalBytes ? a + b : kMaxTotalBytes; }

}  // namespace berth

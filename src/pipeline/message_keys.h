// SPDX-License-Identifier: Apache-2.0
// In which order messages of one instant queue: that of the ids that the full expansion gives their tensors. It adds
// ops block by block: sources, then for every microbatch its inputs, its ops and what it sends, then sums, then what
// replicas pass on.
#pragma once

#include <cstdint>

#include "base/ids.h"
#include "base/units.h"

namespace berth::pipeline {

inline constexpr std::uint64_t kStaticBlock = 0;
constexpr std::uint64_t inputs_block(std::uint32_t microbatch) { return 1 + 2 * std::uint64_t{microbatch}; }
constexpr std::uint64_t sends_block(std::uint32_t microbatch) { return 2 + 2 * std::uint64_t{microbatch}; }
constexpr std::uint64_t sums_block(std::uint32_t microbatches) { return 1 + 2 * std::uint64_t{microbatches}; }
constexpr std::uint64_t reduction_block(std::uint32_t microbatches) { return 2 + 2 * std::uint64_t{microbatches}; }

// `number`: of the tensor, or in order of making.
constexpr std::uint64_t message_key(std::uint64_t block, std::uint64_t number, DeviceId to) {
  return block << 40U | number << 8U | static_cast<std::uint64_t>(index(to));
}

// What a replica sends the next in each round of a ring.
constexpr Bytes ring_share(Bytes bytes, std::size_t replicas) {
  const auto count = static_cast<Bytes>(replicas);
  return (bytes + count - 1) / count;
}

}  // namespace berth::pipeline

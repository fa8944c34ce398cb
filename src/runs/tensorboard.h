// SPDX-License-Identifier: Apache-2.0
// Event files of TensorBoard, as tensorflow/core/util/event.proto and lib/io/record_writer describe them: records of
// length, masked CRC of the length, message, masked CRC of the message; the first message names the version.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "runs/metrics.h"

namespace berth::learn {

// CRC-32C (Castagnoli).
std::uint32_t crc32c(std::string_view bytes);
// A checksum of bytes that hold checksums is weak; records keep it turned and moved.
constexpr std::uint32_t masked(std::uint32_t crc) { return (crc >> 15 | crc << 17) + 0xa282ead8U; }

// Writes the scalars of updates.
class TensorBoardFile {
 public:
  static Result<TensorBoardFile> create(const std::string& folder);  // a new events.out.tfevents.* in it
  Status add(const UpdateFacts& facts);

 private:
  explicit TensorBoardFile(AppendedFile file) : file_(std::move(file)) {}
  AppendedFile file_;
};

}  // namespace berth::learn

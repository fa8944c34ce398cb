// SPDX-License-Identifier: Apache-2.0
// WireParts: a protobuf message put together from stretches of a file and new bytes, so that what does not change (the
// weights) is copied from file to file and never held in memory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "files/files.h"

namespace berth {

inline constexpr std::size_t kMostMessageBytes = 0x7fffffff;  // what protobuf reads

class WireParts {
 public:
  explicit WireParts(std::string_view file) : file_(file) {}

  void keep(std::string_view stretch);  // of the file
  void add(std::string bytes);
  void add(std::uint32_t field, WireParts message);  // with its key and length in front

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::vector<FilePart> take() && { return std::move(parts_); }

 private:
  std::string_view file_;
  std::vector<FilePart> parts_;
  std::size_t size_ = 0;
};

std::size_t size_of(const std::vector<FilePart>& parts);

std::string wire_varint(std::uint64_t number);
std::string wire_number(std::uint32_t field, std::uint64_t number);  // a field of a whole number

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
// Blob: many arrays of numbers as one piece of text that a web page can carry: little-endian bytes, compressed where
// this build can, in base64. The index says where each array is; the page makes typed arrays of it without parsing a
// number.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth {
class JsonWriter;
}

namespace berth::report {

std::string base64(std::string_view bytes);

class Blob {
 public:
  // Whole numbers are stored as differences to the one before: small ones compress better.
  void add(std::string name, std::span<const std::uint32_t> numbers);
  void add(std::string name, std::span<const std::uint8_t> numbers);
  void add(std::string name, std::span<const float> numbers);
  void add_text(std::string name, std::string_view text);

  // Member "arrays": {name: [type, offset, count]}, and "compressed".
  void write_index(JsonWriter& json) const;
  // Everything in base64.
  [[nodiscard]] std::string text() const;

 private:
  struct Entry {
    std::string name;
    std::string_view type;
    std::size_t offset, count;
  };
  void begin(std::string name, std::string_view type, std::size_t count);

  std::string bytes_;
  std::vector<Entry> entries_;
};

}  // namespace berth::report

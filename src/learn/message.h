// SPDX-License-Identifier: Apache-2.0
// Messages between the processes of a run as plain bytes: values one after the other, in the order in which they are
// read back. Little-endian, without names or types: both ends are the same program.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/result.h"
#include "cost/plan.h"
#include "sim/timeline.h"

namespace berth::learn {

class MessageWriter {
 public:
  void integer(std::uint64_t value);
  void number(double value);
  void maybe(std::optional<double> value);
  void text(std::string_view bytes);
  void floats(std::span<const float> values);
  void plan(const Plan& plan);
  void score(const Score& score);
  // A struct of nothing but numbers, as it lies in memory.
  template <typename Plain>
  void plain(const Plain& value) {
    static_assert(std::is_trivially_copyable_v<Plain>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  template <typename Item>
  void list(std::span<const Item> items);
  std::string bytes_;
};

// Bytes that end too early or hold an impossible length give zeros and empty lists from there on, and an error at the
// end.
class MessageReader {
 public:
  explicit MessageReader(std::string_view bytes) : rest_(bytes) {}
  std::uint64_t integer();
  double number();
  std::optional<double> maybe();
  std::string text();
  std::vector<float> floats();
  Plan plan();
  Score score();
  template <typename Plain>
  Plain plain() {
    static_assert(std::is_trivially_copyable_v<Plain>);
    Plain value{};
    const std::string_view bytes = take(sizeof value);
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  // Everything was read, and all of it was there.
  [[nodiscard]] Status end() const;

 private:
  std::string_view take(std::uint64_t size);
  template <typename Item>
  std::vector<Item> list();
  std::string_view rest_;
  bool damaged_ = false;
};

}  // namespace berth::learn

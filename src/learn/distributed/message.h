// SPDX-License-Identifier: Apache-2.0
// Messages between the processes of a run: values one after the other, in the order in which they are read back,
// without names or types, since both ends are the same program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "runs/plan_bytes.h"

namespace berth::learn {

class MessageWriter {
 public:
  void integer(std::uint64_t value) { bytes_.number(value); }
  void number(double value) { bytes_.number(value); }
  void maybe(std::optional<double> value) { bytes_.maybe(value); }
  void text(std::string_view text) { bytes_.text(text); }
  void floats(const std::vector<float>& values) { bytes_.numbers(values); }
  void plan(const Plan& plan) { write_plan(bytes_, plan); }
  void score(const Score& score) { write_score(bytes_, score); }
  // A struct of nothing but numbers, as it lies in memory.
  template <typename Plain>
  void plain(const Plain& value) {
    static_assert(std::is_trivially_copyable_v<Plain>);
    text({reinterpret_cast<const char*>(&value), sizeof value});
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_.bytes(); }

 private:
  ByteWriter bytes_;
};

// Bytes that end too early or hold an impossible length give zeros and empty lists from there on, and an error at the
// end.
class MessageReader {
 public:
  explicit MessageReader(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t integer() { return bytes_.number<std::uint64_t>(); }
  double number() { return bytes_.number<double>(); }
  std::optional<double> maybe() { return bytes_.maybe<double>(); }
  std::string text() { return std::string(bytes_.text()); }
  std::vector<float> floats() { return bytes_.numbers<float>(); }
  Plan plan() { return read_plan(bytes_); }
  Score score() { return read_score(bytes_); }
  template <typename Plain>
  Plain plain() {
    static_assert(std::is_trivially_copyable_v<Plain>);
    Plain value{};
    const std::string_view bytes = bytes_.text();
    is_odd_ = is_odd_ || bytes.size() != sizeof value;
    if (!is_odd_) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  // Everything was read, and all of it was there.
  [[nodiscard]] Status end() const {
    if (bytes_.is_done() && !is_odd_) return {};
    return bad_input("a message of another rank cannot be read; do all ranks run the same version of the program?");
  }

 private:
  ByteReader bytes_;
  bool is_odd_ = false;  // a struct had another size
};

}  // namespace berth::learn

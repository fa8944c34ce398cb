// SPDX-License-Identifier: Apache-2.0
// Plain values as bytes and back. What is read may be anything: every length is checked against what is there before
// memory is taken for it, and a reader that ran dry gives zeros and says so in the end.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace berth::learn {

static_assert(std::endian::native == std::endian::little, "checkpoints are little-endian, and written by copying");

template <typename T>
concept PlainNumber = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class ByteWriter {
 public:
  template <PlainNumber T>
  void number(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view text) {
    number<std::uint64_t>(text.size());
    bytes_ += text;
  }
  template <PlainNumber T>
  void numbers(const std::vector<T>& values) {
    number<std::uint64_t>(values.size());
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  }
  // A length, then every item by `write(item)`.
  template <typename T, typename Write>
  void items(const std::vector<T>& values, const Write& write) {
    number<std::uint64_t>(values.size());
    for (const T& value : values) write(value);
  }
  template <PlainNumber T>
  void maybe(const std::optional<T>& value) {
    number<std::uint8_t>(value ? 1 : 0);
    number(value.value_or(T{}));
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] std::string take() && { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  template <PlainNumber T>
  T number() {
    T value{};
    const std::string_view bytes = take(sizeof value);
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  bool truth() {
    const auto value = number<std::uint8_t>();
    is_good_ = is_good_ && value <= 1;
    return value == 1;
  }
  std::string_view text() { return take(length(1)); }
  template <PlainNumber T>
  std::vector<T> numbers() {
    std::vector<T> values(length(sizeof(T)));
    const std::string_view bytes = take(values.size() * sizeof(T));
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  // As many as a length says, each by `read()` and of `least` bytes at least.
  template <typename T, typename Read>
  std::vector<T> items(std::size_t least, const Read& read) {
    std::vector<T> values(length(least));
    for (T& value : values) value = read();
    return values;
  }
  template <PlainNumber T>
  std::optional<T> maybe() {
    const bool is_there = truth();
    const T value = number<T>();
    return is_there ? std::optional<T>(value) : std::nullopt;
  }

  // Whether everything that was asked for was there, and nothing is left.
  [[nodiscard]] bool is_done() const { return is_good_ && rest_.empty(); }

 private:
  std::string_view take(std::size_t size) {
    is_good_ = is_good_ && size <= rest_.size();
    if (!is_good_) return {};
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  // A number of items that can really follow; 0 if what is written there cannot.
  std::size_t length(std::size_t item_bytes) {
    const auto stated = number<std::uint64_t>();
    is_good_ = is_good_ && stated <= rest_.size() / item_bytes;
    return is_good_ ? static_cast<std::size_t>(stated) : 0;
  }

  std::string_view rest_;
  bool is_good_ = true;
};

}  // namespace berth::learn

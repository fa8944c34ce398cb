// SPDX-License-Identifier: Apache-2.0
// NpzWriter: arrays in one file as NumPy reads them (numpy.load): a zip file with a .npy file for each. Equal arrays
// give equal bytes. Without gzip in the build they are stored as they are, else compressed.
//
//   NpzWriter npz;
//   npz.numbers("time_s", seconds, {ops, devices});
//   npz.texts("names", names);
//   BERTH_TRY(const std::string file, std::move(npz).take());
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/result.h"

namespace berth {

class NpzWriter {
 public:
  // The last dimension runs fastest; an empty shape is that of a single number.
  using Shape = std::vector<std::size_t>;

  template <typename T>
  void numbers(std::string_view name, const std::vector<T>& values, const Shape& shape) {
    add(name, type_of<T>(), sizeof(T), shape, bytes_of(values.data(), values.size()));
  }
  template <typename T>
  void numbers(std::string_view name, const std::vector<T>& values) {
    numbers(name, values, {values.size()});
  }
  template <typename T>
  void number(std::string_view name, T value) {
    add(name, type_of<T>(), sizeof(T), {}, bytes_of(&value, 1));
  }
  // Truths: 0 or 1.
  void flags(std::string_view name, const std::vector<std::uint8_t>& values, const Shape& shape) {
    add(name, 'b', 1, shape, bytes_of(values.data(), values.size()));
  }
  // What is not UTF-8 comes out with U+FFFD in place of each wrong byte.
  void texts(std::string_view name, std::span<const std::string> values);
  void text(std::string_view name, std::string_view value);

  // The file; an error if it is larger than a zip file may be (4 GiB).
  [[nodiscard]] Result<std::string> take() &&;

 private:
  template <typename T>
  static char type_of() {
    static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && std::endian::native == std::endian::little);
    return std::is_floating_point_v<T> ? 'f' : std::is_signed_v<T> ? 'i' : 'u';
  }
  template <typename T>
  static std::string_view bytes_of(const T* values, std::size_t count) {
    return {reinterpret_cast<const char*>(values), count * sizeof(T)};
  }
  // `type` and `size` as NumPy says them: 'f' and 8; of texts 'U' and their letters.
  void add(std::string_view name, char type, std::size_t size, const Shape& shape, std::string_view data);
  void add_texts(std::string_view name, std::span<const std::string> values, const Shape& shape);

  std::string file_, directory_;
  std::uint16_t count_ = 0;
  bool is_too_large_ = false;
};

}  // namespace berth

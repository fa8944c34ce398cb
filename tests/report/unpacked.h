// SPDX-License-Identifier: Apache-2.0
// What the page reads of a report, read in the same way: the JSON of its head, and the arrays behind it. Independent of
// report/blob.cc, so that both must agree on the format.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "files/gzip.h"
#include "files/json/json_reader.h"
#include "files/json/json_writer.h"
#include "report/blob.h"

namespace berth::report {

inline std::string from_base64(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t word = 0;
  int bits = 0;
  for (const char c : text.substr(0, text.find('='))) {
    const std::size_t digit = kDigits.find(c);
    EXPECT_NE(digit, std::string_view::npos) << c;
    word = word << 6 | static_cast<std::uint32_t>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(word >> bits & 0xFFU);
  }
  return bytes;
}

class Unpacked {
 public:
  // `write` adds members of an object and arrays of a blob, as the sections of a report do.
  template <typename Write>
  static Unpacked of(const Write& write) {
    JsonWriter json;
    Blob blob;
    json.begin_object();
    write(json, blob);
    blob.write_index(json);
    json.end_object();
    return {std::move(json).take(), blob.text()};
  }

  // "plans.0.step_s" is a member of an element of a member.
  [[nodiscard]] simdjson::dom::element at(std::string_view path) const {
    std::string pointer;
    for (const char c : path) pointer += c == '.' ? '/' : c;
    return root_.at_pointer("/" + pointer).value();
  }
  [[nodiscard]] bool has(std::string_view path) const {
    std::string pointer;
    for (const char c : path) pointer += c == '.' ? '/' : c;
    return root_.at_pointer("/" + pointer).error() == simdjson::SUCCESS;
  }
  [[nodiscard]] double number(std::string_view path) const { return at(path).get_double().value(); }
  [[nodiscard]] std::string text(std::string_view path) const { return std::string(at(path).get_string().value()); }
  [[nodiscard]] std::string json(std::string_view path) const { return simdjson::minify(at(path)); }

  [[nodiscard]] std::vector<std::uint32_t> whole(const std::string& name) const {
    const Entry entry = find(name, "u32");
    std::vector<std::uint32_t> numbers;
    std::uint32_t before = 0;
    for (std::size_t i = 0; i < entry.count; ++i) {
      for (std::size_t byte = 0; byte < 4; ++byte) {
        const auto part = static_cast<unsigned char>(bytes_.at(entry.offset + byte * entry.count + i));
        before += static_cast<std::uint32_t>(part) << (8 * byte);
      }
      numbers.push_back(before);
    }
    return numbers;
  }
  [[nodiscard]] std::vector<int> small(const std::string& name) const {
    const Entry entry = find(name, "u8");
    std::vector<int> numbers;
    for (std::size_t i = 0; i < entry.count; ++i) {
      numbers.push_back(static_cast<unsigned char>(bytes_.at(entry.offset + i)));
    }
    return numbers;
  }
  [[nodiscard]] std::vector<float> real(const std::string& name) const {
    const Entry entry = find(name, "f32");
    std::vector<float> numbers(entry.count);
    EXPECT_LE(entry.offset + 4 * entry.count, bytes_.size());
    if (entry.count > 0) std::memcpy(numbers.data(), bytes_.data() + entry.offset, 4 * entry.count);
    return numbers;
  }
  [[nodiscard]] std::string letters(const std::string& name) const {
    const Entry entry = find(name, "text");
    return bytes_.substr(entry.offset, entry.count);
  }

 private:
  struct Entry {
    std::size_t offset, count;
  };
  Unpacked(const std::string& head, const std::string& data) : parser_(std::make_unique<simdjson::dom::parser>()) {
    root_ = parser_->parse(head).value();
    bytes_ = from_base64(data);
    if (root_["compressed"].get_bool().value()) bytes_ = gunzip(bytes_, std::size_t{1} << 30).value();
  }
  [[nodiscard]] Entry find(const std::string& name, std::string_view type) const {
    const simdjson::dom::array entry = root_["arrays"][name].get_array().value();
    EXPECT_EQ(entry.at(0).get_string().value(), type) << name;
    const Entry found{entry.at(1).get_uint64().value(), entry.at(2).get_uint64().value()};
    EXPECT_EQ(found.offset % 8, 0U) << name << ": typed arrays begin at a multiple of their element's size";
    return found;
  }

  std::unique_ptr<simdjson::dom::parser> parser_;
  simdjson::dom::element root_;
  std::string bytes_;
};

}  // namespace berth::report

// SPDX-License-Identifier: Apache-2.0
#include "report/blob.h"

#include <cstring>

#include "files/gzip.h"
#include "files/json/json_writer.h"

namespace berth::report {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are written as they lie in memory");

constexpr std::size_t kAlignment = 8;  // typed arrays must begin at a multiple of their element's size

bool can_compress() {
  static const bool answer = gzip("").ok();
  return answer;
}

}  // namespace

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t j) {
      return j < bytes.size() ? static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[j])) : 0U;
    };
    const std::uint32_t word = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    text += kDigits[word >> 18];
    text += kDigits[word >> 12 & 63];
    text += i + 1 < bytes.size() ? kDigits[word >> 6 & 63] : '=';
    text += i + 2 < bytes.size() ? kDigits[word & 63] : '=';
  }
  return text;
}

void Blob::begin(std::string name, std::string_view type, std::size_t count) {
  bytes_.resize((bytes_.size() + kAlignment - 1) / kAlignment * kAlignment);
  entries_.push_back({std::move(name), type, bytes_.size(), count});
}

void Blob::add(std::string name, std::span<const std::uint32_t> numbers) {
  begin(std::move(name), "u32", numbers.size());
  // Byte by byte: all lowest bytes, then all second ones and so on, which compresses better still.
  const std::size_t at = bytes_.size();
  bytes_.resize(at + numbers.size() * sizeof(std::uint32_t));
  std::uint32_t before = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::uint32_t difference = numbers[i] - before;
    before = numbers[i];
    for (std::size_t byte = 0; byte < sizeof difference; ++byte) {
      bytes_[at + byte * numbers.size() + i] = static_cast<char>(difference >> (8 * byte) & 0xFFU);
    }
  }
}

void Blob::add(std::string name, std::span<const std::uint8_t> numbers) {
  begin(std::move(name), "u8", numbers.size());
  bytes_.append(numbers.begin(), numbers.end());
}

void Blob::add(std::string name, std::span<const float> numbers) {
  begin(std::move(name), "f32", numbers.size());
  const std::size_t at = bytes_.size();
  bytes_.resize(at + numbers.size_bytes());
  if (!numbers.empty()) std::memcpy(bytes_.data() + at, numbers.data(), numbers.size_bytes());
}

void Blob::add_text(std::string name, std::string_view text) {
  begin(std::move(name), "text", text.size());
  bytes_ += text;
}

void Blob::write_index(JsonWriter& json) const {
  json.key("compressed").value(can_compress());
  json.key("arrays").begin_object();
  for (const Entry& entry : entries_) {
    json.key(entry.name).begin_array().value(entry.type).value(entry.offset).value(entry.count).end_array();
  }
  json.end_object();
}

std::string Blob::text() const { return base64(can_compress() ? gzip(bytes_).value() : bytes_); }

}  // namespace berth::report

// SPDX-License-Identifier: Apache-2.0
#include "files/npz.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/text.h"
#include "files/gzip.h"

namespace berth {
namespace {

constexpr std::size_t kMostZipBytes = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint16_t kStored = 0, kDeflated = 8;

// The checksum of zip and gzip (CRC-32, reflected polynomial 0xEDB88320).
std::uint32_t checksum(std::string_view data) {
  static const std::array<std::uint32_t, 256> kTable = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      std::uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1U) != 0 ? 0xedb88320U : 0U);
      table[i] = value;
    }
    return table;
  }();
  std::uint32_t sum = ~0U;
  for (const char c : data) sum = (sum >> 8) ^ kTable[(sum ^ static_cast<unsigned char>(c)) & 0xffU];
  return ~sum;
}

template <typename Number>
void put(std::string& file, Number number) {
  for (std::size_t i = 0; i < sizeof(Number); ++i) file += static_cast<char>((number >> (8 * i)) & 0xffU);
}

// What gzip wraps: its header has no name here, and its end is a checksum and a size.
std::string_view deflated_part(std::string_view gzipped) {
  constexpr std::size_t kHeader = 10, kTrailer = 8;
  return gzipped.substr(kHeader, gzipped.size() - kHeader - kTrailer);
}

// "(3, 2)", "(3,)", "()"
std::string shape_text(const NpzWriter::Shape& shape) {
  std::string text = "(";
  for (const std::size_t size : shape) text += fmt::format("{}{}", text.size() > 1 ? ", " : "", size);
  return text + (shape.size() == 1 ? ",)" : ")");
}

// A .npy file up to its data, which begins at a multiple of 64 bytes.
std::string npy_header(char type, std::size_t size, const NpzWriter::Shape& shape) {
  constexpr std::size_t kAlignment = 64, kMagicBytes = 10;
  const char order = size == 1 && type != 'U' ? '|' : '<';
  std::string facts =
      fmt::format("{{'descr': '{}{}{}', 'fortran_order': False, 'shape': {}, }}", order, type, size, shape_text(shape));
  facts.append(kAlignment - 1 - (kMagicBytes + facts.size()) % kAlignment, ' ');
  facts += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  put(header, static_cast<std::uint16_t>(facts.size()));
  return header + facts;
}

std::vector<char32_t> letters_of(std::string_view text) {
  constexpr char32_t kWrong = 0xfffd;
  std::vector<char32_t> letters;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    char32_t letter = kWrong;
    if (length > 0) {
      const auto lead = static_cast<unsigned char>(text[at]);
      letter = length == 1 ? lead : lead & (0xffU >> (length + 1));
      for (std::size_t i = 1; i < length; ++i)
        letter = letter << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3fU);
    }
    letters.push_back(letter);
    at += std::max<std::size_t>(length, 1);
  }
  return letters;
}

}  // namespace

void NpzWriter::add(std::string_view name, char type, std::size_t size, const Shape& shape, std::string_view data) {
  const std::string npy = npy_header(type, size, shape) + std::string(data);
  is_too_large_ = is_too_large_ || file_.size() + npy.size() > kMostZipBytes;
  if (is_too_large_) return;
  const Result<std::string> gzipped = gzip(npy);
  const std::string_view packed = gzipped ? deflated_part(*gzipped) : std::string_view(npy);
  std::string facts;              // what both headers say
  put(facts, std::uint16_t{20});  // the version of zip that it takes to read this: 2.0
  put(facts, std::uint16_t{0});
  put(facts, gzipped ? kDeflated : kStored);
  put(facts, std::uint32_t{0x00210000});  // the first day of 1980, the earliest there is
  put(facts, checksum(npy));
  put(facts, static_cast<std::uint32_t>(packed.size()));
  put(facts, static_cast<std::uint32_t>(npy.size()));
  const std::string file_name = fmt::format("{}.npy", name);
  put(facts, static_cast<std::uint16_t>(file_name.size()));
  put(facts, std::uint16_t{0});
  const auto begin = static_cast<std::uint32_t>(file_.size());
  file_.append("PK\x03\x04").append(facts).append(file_name).append(packed);
  directory_ += "PK\x01\x02";
  put(directory_, std::uint16_t{20});
  directory_ += facts;
  directory_.append(10, '\0');  // no comment, the first disk, no attributes
  put(directory_, begin);
  directory_ += file_name;
  ++count_;
}

void NpzWriter::add_texts(std::string_view name, std::span<const std::string> values, const Shape& shape) {
  std::vector<std::vector<char32_t>> texts;
  std::size_t longest = 1;
  for (const std::string& value : values) {
    texts.push_back(letters_of(value));
    longest = std::max(longest, texts.back().size());
  }
  std::vector<char32_t> letters(texts.size() * longest);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::ranges::copy(texts[i], letters.begin() + static_cast<std::ptrdiff_t>(i * longest));
  }
  add(name, 'U', longest, shape, bytes_of(letters.data(), letters.size()));
}

void NpzWriter::texts(std::string_view name, std::span<const std::string> values) {
  add_texts(name, values, {values.size()});
}

void NpzWriter::text(std::string_view name, std::string_view value) {
  const std::string one(value);
  add_texts(name, std::span(&one, 1), {});
}

Result<std::string> NpzWriter::take() && {
  const auto begin = static_cast<std::uint32_t>(file_.size());
  if (is_too_large_ || file_.size() + directory_.size() > kMostZipBytes) {
    return bad_input("the arrays take more than the 4 GiB that an .npz file may hold");
  }
  file_ += directory_;
  file_ += "PK\x05\x06";
  put(file_, std::uint32_t{0});  // one disk
  put(file_, count_);
  put(file_, count_);
  put(file_, static_cast<std::uint32_t>(directory_.size()));
  put(file_, begin);
  put(file_, std::uint16_t{0});  // no comment
  return std::move(file_);
}

}  // namespace berth

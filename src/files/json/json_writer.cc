// SPDX-License-Identifier: Apache-2.0
#include "files/json/json_writer.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <iterator>

#include "base/text.h"

namespace berth {
namespace {

void append_escaped(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\r':
      out += "\\r";
      return;
    default:
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
      return;
  }
}

void append_string(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const bool is_plain = c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
    if (is_plain) {
      out += c;
      ++at;
    } else if (const std::size_t length = utf8_length(text, at); length > 1) {
      out += text.substr(at, length);
      at += length;
    } else {
      if (length == 1) append_escaped(out, c);
      if (length == 0) out += "\xef\xbf\xbd";
      ++at;
    }
  }
  out += '"';
}

bool reads_back(std::string_view digits, float number) {
  double wide = 0.0;
  std::from_chars(digits.data(), digits.data() + digits.size(), wide);
  return static_cast<float>(wide) == number;
}

}  // namespace

void JsonWriter::new_line() {
  text_ += '\n';
  text_.append(2 * open_.size(), ' ');
}

// What stands between the last element or member of the open container and the next.
void JsonWriter::separate() {
  Container& container = open_.back();
  if (!container.is_empty) text_ += ',';
  if (container.layout == JsonLayout::kLines) {
    new_line();
  } else if (!container.is_empty) {
    text_ += ' ';
  }
  container.is_empty = false;
}

void JsonWriter::before_value() {
  if (open_.empty()) {
    BERTH_CHECK(text_.empty());
  } else if (open_.back().is_object) {
    BERTH_CHECK(has_key_);
    has_key_ = false;
  } else {
    separate();
  }
}

JsonWriter& JsonWriter::begin(char bracket, JsonLayout layout) {
  before_value();
  text_ += bracket;
  open_.push_back({layout, bracket == '{', true});
  return *this;
}

JsonWriter& JsonWriter::end(char bracket) {
  BERTH_CHECK(!open_.empty() && !has_key_ && open_.back().is_object == (bracket == '}'));
  const Container closed = open_.back();
  open_.pop_back();
  if (closed.layout == JsonLayout::kLines && !closed.is_empty) new_line();
  text_ += bracket;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  BERTH_CHECK(!open_.empty() && open_.back().is_object && !has_key_);
  separate();
  append_string(text_, name);
  text_ += ": ";
  has_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  before_value();
  append_string(text_, text);
  return *this;
}

JsonWriter& JsonWriter::value(bool truth) {
  before_value();
  text_ += truth ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  constexpr double kExactIntegers = 9007199254740992.0;  // 2^53
  if (std::abs(number) < kExactIntegers && number == std::trunc(number) && !(number == 0.0 && std::signbit(number))) {
    return value(static_cast<std::int64_t>(number));
  }
  before_value();
  if (number == 0.0) {
    text_ += "-0.0";  // "-0" would be an integer, which has no sign
  } else {
    fmt::format_to(std::back_inserter(text_), "{}", number);
  }
  return *this;
}

JsonWriter& JsonWriter::value(float number) {
  const std::string digits = fmt::format("{}", number);
  if (!std::isfinite(number) || number == std::trunc(number) || !reads_back(digits, number)) {
    return value(static_cast<double>(number));
  }
  before_value();
  text_ += digits;
  return *this;
}

JsonWriter& JsonWriter::value(std::int64_t number) {
  before_value();
  fmt::format_to(std::back_inserter(text_), "{}", number);
  return *this;
}

JsonWriter& JsonWriter::value(std::uint64_t number) {
  before_value();
  fmt::format_to(std::back_inserter(text_), "{}", number);
  return *this;
}

JsonWriter& JsonWriter::null() {
  before_value();
  text_ += "null";
  return *this;
}

std::string JsonWriter::take() && {
  BERTH_CHECK(open_.empty() && !text_.empty());
  text_ += '\n';
  return std::move(text_);
}

}  // namespace berth

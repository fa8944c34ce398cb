// SPDX-License-Identifier: Apache-2.0
#include "files/protobuf/proto_lexer.h"

#include <optional>

#include "files/json/json_reader.h"

namespace berth {
namespace {

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '/';
}

int digit_of(char c, int base) {
  int digit = base;
  if (c >= '0' && c <= '9') digit = c - '0';
  if (c >= 'a' && c <= 'f') digit = c - 'a' + 10;
  if (c >= 'A' && c <= 'F') digit = c - 'A' + 10;
  return digit < base ? digit : -1;
}

// Up to `most` digits from `at` on, which is moved behind them; none if there is no digit.
std::optional<std::uint32_t> read_digits(std::string_view text, std::size_t& at, int base, std::size_t most) {
  const std::size_t begin = at;
  std::uint32_t value = 0;
  for (; at < text.size() && at - begin < most && digit_of(text[at], base) >= 0; ++at) {
    value = value * static_cast<std::uint32_t>(base) + static_cast<std::uint32_t>(digit_of(text[at], base));
  }
  if (at == begin) return std::nullopt;
  return value;
}

void append_utf8(std::uint32_t code, std::string& bytes) {
  const auto put = [&](std::uint32_t byte) { bytes += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | code >> 6);
    put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3f));
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  }
}

// The character that a single letter after a backslash stands for; 0 if it is no such letter.
char simple_escape(char letter) {
  constexpr std::string_view kLetters = "abfnrtv\\'\"?";
  constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\'\"?";
  const std::size_t found = kLetters.find(letter);
  return found == std::string_view::npos ? '\0' : kMeanings[found];
}

// One escape; `at` stands behind the backslash and is moved behind the escape.
bool append_escape(std::string_view text, std::size_t& at, std::string& bytes) {
  constexpr std::uint32_t kLastCode = 0x10ffff;
  if (at == text.size()) return false;
  const char letter = text[at];
  if (digit_of(letter, 8) >= 0) {
    const auto code = read_digits(text, at, 8, 3);
    bytes += static_cast<char>(*code & 0xff);
    return true;
  }
  ++at;
  if (letter == 'x' || letter == 'X') {
    const auto code = read_digits(text, at, 16, 2);
    if (code) bytes += static_cast<char>(*code);
    return code.has_value();
  }
  if (letter == 'u' || letter == 'U') {
    const auto code = read_digits(text, at, 16, letter == 'u' ? 4 : 8);
    if (!code || *code > kLastCode) return false;
    append_utf8(*code, bytes);
    return true;
  }
  const char meaning = simple_escape(letter);
  if (meaning == '\0') return false;
  bytes += meaning;
  return true;
}

}  // namespace

void ProtoLexer::skip_blanks() {
  for (bool in_comment = false; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '\n') {
      ++line_;
      in_comment = false;
    } else if (c == '#') {
      in_comment = true;
    } else if (!in_comment && c != ' ' && c != '\t' && c != '\r' && c != '\v' && c != '\f') {
      return;
    }
  }
}

Status ProtoLexer::read_string(char quote) {
  const std::size_t begin = ++at_;
  for (; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
    if (text_[at_] == quote) {
      kind_ = Kind::kString;
      token_ = text_.substr(begin, at_++ - begin);
      return {};
    }
    if (text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
  }
  return error("a string does not end");
}

Status ProtoLexer::advance() {
  skip_blanks();
  token_ = {};
  kind_ = Kind::kEnd;
  if (at_ == text_.size()) return {};
  const char first = text_[at_];
  if (first == '"' || first == '\'') return read_string(first);
  const std::size_t begin = at_;
  if (is_word_character(first)) {
    // A sign belongs to a number only behind its exponent.
    const auto is_exponent_sign = [&] {
      const bool sign = text_[at_] == '-' || text_[at_] == '+';
      const bool decimal =
          first >= '0' && first <= '9' && text_.substr(begin, 2) != "0x" && text_.substr(begin, 2) != "0X";
      return sign && (decimal || first == '.') && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E');
    };
    while (at_ < text_.size() && (is_word_character(text_[at_]) || (at_ > begin && is_exponent_sign()))) ++at_;
    kind_ = Kind::kWord;
  } else if (std::string_view("{}<>[]:,;-").find(first) != std::string_view::npos) {
    ++at_;
    kind_ = Kind::kSymbol;
  } else {
    return error(fmt::format("unexpected character {}", in_quotes(text_.substr(at_, 1))));
  }
  token_ = text_.substr(begin, at_ - begin);
  return {};
}

Error ProtoLexer::error(std::string_view what) const { return bad_input("line {}: {}", line_, what); }

Error ProtoLexer::expected(std::string_view what) const {
  return error(fmt::format("expected {}, found {}", what, kind_ == Kind::kEnd ? "the end" : in_quotes(token_)));
}

bool append_unescaped(std::string_view written, std::string& bytes) {
  for (std::size_t at = 0; at < written.size();) {
    const char c = written[at++];
    if (c != '\\') {
      bytes += c;
    } else if (!append_escape(written, at, bytes)) {
      return false;
    }
  }
  return true;
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include "files/protobuf/proto_text.h"

#include <bit>
#include <charconv>

#include "files/json/json_reader.h"
#include "files/protobuf/proto_lexer.h"
#include "files/protobuf/wire.h"

namespace berth {
namespace {

enum WireNumber : std::uint32_t { kVarintWire = 0, kBytesWire = 2, kFixed32Wire = 5 };

void append_key(const ProtoField& field, WireNumber wire, std::string& bytes) {
  append_varint(std::uint64_t{field.number} << 3 | wire, bytes);
}

void append_block(const ProtoField& field, std::string_view contents, std::string& bytes) {
  append_key(field, kBytesWire, bytes);
  append_varint(contents.size(), bytes);
  bytes += contents;
}

// A whole number: decimal, hexadecimal (0x1f) or octal (017). Two's complement in 64 bits.
std::optional<std::uint64_t> parse_integer(std::string_view word, bool negative) {
  int base = 10;
  if (word.starts_with("0x") || word.starts_with("0X")) {
    base = 16;
    word.remove_prefix(2);
  } else if (word.size() > 1 && word.front() == '0') {
    base = 8;
    word.remove_prefix(1);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  constexpr std::uint64_t kLowest = std::uint64_t{1} << 63;
  if (!negative) return value;
  if (value > kLowest) return std::nullopt;
  return ~value + 1;
}

std::optional<float> parse_float(std::string_view word, bool negative) {
  if (word.size() > 1 && (word.ends_with('f') || word.ends_with('F')) && word.front() >= '0' && word.front() <= '9') {
    word.remove_suffix(1);
  }
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (end != word.data() + word.size() || error == std::errc::invalid_argument) return std::nullopt;
  return static_cast<float>(negative ? -value : value);
}

std::optional<std::uint64_t> parse_boolean(std::string_view word) {
  if (word == "true" || word == "True" || word == "t" || word == "1") return 1;
  if (word == "false" || word == "False" || word == "f" || word == "0") return 0;
  return std::nullopt;
}

class TextReader {
 public:
  explicit TextReader(std::string_view text) : lexer_(text) {}

  Result<std::string> read(const ProtoMessage& message) {
    BERTH_RETURN_IF_ERROR(lexer_.advance());
    std::string bytes;
    while (lexer_.kind() != ProtoLexer::Kind::kEnd) BERTH_RETURN_IF_ERROR(read_field(&message, bytes, 0));
    return bytes;
  }

 private:
  // One field with its value or values. `message` is null inside what is skipped.
  Status read_field(const ProtoMessage* message, std::string& bytes, int depth) {
    const ProtoField* field = nullptr;
    if (lexer_.is('[')) {
      BERTH_RETURN_IF_ERROR(skip_extension_name());
    } else {
      if (lexer_.kind() != ProtoLexer::Kind::kWord) return lexer_.expected("the name of a field");
      if (message != nullptr) field = message->find(lexer_.token());
      BERTH_RETURN_IF_ERROR(lexer_.advance());
    }
    const bool colon = lexer_.is(':');
    if (colon) BERTH_RETURN_IF_ERROR(lexer_.advance());
    if (lexer_.is('[')) {
      BERTH_RETURN_IF_ERROR(read_list(field, bytes, depth));
    } else {
      if (!colon && !lexer_.is('{') && !lexer_.is('<')) return lexer_.expected("':' or '{'");
      BERTH_RETURN_IF_ERROR(read_value(field, bytes, depth));
    }
    if (lexer_.is(',') || lexer_.is(';')) return lexer_.advance();
    return {};
  }

  Status skip_extension_name() {
    while (!lexer_.is(']')) {
      if (lexer_.kind() == ProtoLexer::Kind::kEnd) return lexer_.expected("']'");
      BERTH_RETURN_IF_ERROR(lexer_.advance());
    }
    return lexer_.advance();
  }

  Status read_list(const ProtoField* field, std::string& bytes, int depth) {
    BERTH_RETURN_IF_ERROR(lexer_.advance());
    while (!lexer_.is(']')) {
      BERTH_RETURN_IF_ERROR(read_value(field, bytes, depth));
      if (lexer_.is(',')) {
        BERTH_RETURN_IF_ERROR(lexer_.advance());
      } else if (!lexer_.is(']')) {
        return lexer_.expected("',' or ']'");
      }
    }
    return lexer_.advance();
  }

  Status read_value(const ProtoField* field, std::string& bytes, int depth) {
    if (lexer_.is('{') || lexer_.is('<')) return read_message(field, bytes, depth);
    if (lexer_.kind() == ProtoLexer::Kind::kString) return read_strings(field, bytes);
    const bool negative = lexer_.is('-');
    if (negative) BERTH_RETURN_IF_ERROR(lexer_.advance());
    if (lexer_.kind() != ProtoLexer::Kind::kWord) return lexer_.expected("a value");
    if (field != nullptr) BERTH_RETURN_IF_ERROR(append_word(*field, negative, bytes));
    return lexer_.advance();
  }

  Status read_message(const ProtoField* field, std::string& bytes, int depth) {
    if (depth >= kMaxProtoDepth)
      return lexer_.error(fmt::format("messages are nested more than {} deep", kMaxProtoDepth));
    if (field != nullptr && field->kind != ProtoKind::kMessage) {
      return lexer_.error(fmt::format("'{}' takes one value, no message", field->name));
    }
    const char closing = lexer_.is('{') ? '}' : '>';
    BERTH_RETURN_IF_ERROR(lexer_.advance());
    std::string contents;
    while (!lexer_.is(closing)) {
      if (lexer_.kind() == ProtoLexer::Kind::kEnd) return lexer_.expected(fmt::format("'{}'", closing));
      BERTH_RETURN_IF_ERROR(read_field(field != nullptr ? field->message : nullptr, contents, depth + 1));
    }
    if (field != nullptr) append_block(*field, contents, bytes);
    return lexer_.advance();
  }

  // Strings that follow each other are one.
  Status read_strings(const ProtoField* field, std::string& bytes) {
    if (field != nullptr && field->kind != ProtoKind::kBytes) {
      return lexer_.error(fmt::format("'{}' takes no string", field->name));
    }
    std::string contents;
    while (lexer_.kind() == ProtoLexer::Kind::kString) {
      if (field != nullptr && !append_unescaped(lexer_.token(), contents)) {
        return lexer_.error(fmt::format("a string of '{}' has an escape that does not exist", field->name));
      }
      BERTH_RETURN_IF_ERROR(lexer_.advance());
    }
    if (field != nullptr) append_block(*field, contents, bytes);
    return {};
  }

  Status append_word(const ProtoField& field, bool negative, std::string& bytes) {
    const std::string_view word = lexer_.token();
    std::optional<std::uint64_t> number;
    switch (field.kind) {
      case ProtoKind::kMessage:
      case ProtoKind::kBytes:
        return lexer_.expected(field.kind == ProtoKind::kBytes ? "a string" : "a message");
      case ProtoKind::kFloat:
        return append_float(field, negative, bytes);
      case ProtoKind::kInteger:
        number = parse_integer(word, negative);
        break;
      case ProtoKind::kBoolean:
        if (!negative) number = parse_boolean(word);
        break;
      case ProtoKind::kEnum:
        number = parse_integer(word, negative);
        if (!number) number = field.enum_value(word);
        break;
    }
    if (!number) return lexer_.error(fmt::format("{} is no value of '{}'", in_quotes(word), field.name));
    append_key(field, kVarintWire, bytes);
    append_varint(*number, bytes);
    return {};
  }

  Status append_float(const ProtoField& field, bool negative, std::string& bytes) {
    const auto value = parse_float(lexer_.token(), negative);
    if (!value) return lexer_.error(fmt::format("{} is no number", in_quotes(lexer_.token())));
    append_key(field, kFixed32Wire, bytes);
    const auto bits = std::bit_cast<std::uint32_t>(*value);
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(bits >> shift & 0xff);
    return {};
  }

  ProtoLexer lexer_;
};

}  // namespace

Result<std::string> text_to_wire(std::string_view text, const ProtoMessage& message) {
  return TextReader(text).read(message);
}

std::string_view first_field_of_text(std::string_view text) {
  ProtoLexer lexer(text);
  return lexer.advance() && lexer.kind() == ProtoLexer::Kind::kWord ? lexer.token() : std::string_view();
}

}  // namespace berth

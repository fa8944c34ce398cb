// SPDX-License-Identifier: Apache-2.0
// Recursive descent, with the depth counted: at most kMaxTomlDepth calls deep.
#include "files/toml.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "files/files.h"

namespace berth {
namespace {

using Kind = TomlValue::Kind;

bool is_bare_key_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

class TomlParser {
 public:
  TomlParser(std::string_view text, std::string_view where) : text_(text), where_(where) {}

  Result<TomlValue> parse() {
    TomlValue root;
    root.open = true;
    TomlValue* current = &root;
    for (skip_blank_lines(); !at_end(); skip_blank_lines()) {
      if (peek() == '[') {
        BERTH_TRY(current, header(root));
      } else {
        BERTH_RETURN_IF_ERROR(key_value(*current, 0));
      }
      BERTH_RETURN_IF_ERROR(end_of_line());
    }
    return root;
  }

 private:
  struct Segment {
    std::string key;
    int line;
  };

  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  [[nodiscard]] char peek() const { return at_end() ? '\0' : text_[at_]; }
  bool take(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    line_ += c == '\n';
    return true;
  }

  template <typename... Args>
  [[nodiscard]] Error error(fmt::format_string<Args...> format, Args&&... args) const {
    return error_at(line_, fmt::format(format, std::forward<Args>(args)...));
  }
  [[nodiscard]] Error error_at(int line, std::string message) const {
    return in_file(fmt::format("{}:{}", where_, line), {ErrorCode::kBadInput, std::move(message)});
  }

  // What stands at the current place, for errors.
  [[nodiscard]] std::string found() const {
    if (at_end()) return "the end of the file";
    if (peek() == '\n' || peek() == '\r') return "the end of the line";
    std::size_t length = 1;
    if (is_bare_key_character(peek())) {
      while (length < 20 && at_ + length < text_.size() && is_bare_key_character(text_[at_ + length])) ++length;
    } else {
      while (at_ + length < text_.size() && (static_cast<unsigned char>(text_[at_ + length]) & 0xC0) == 0x80) ++length;
    }
    return fmt::format("'{}'", text_.substr(at_, length));
  }

  void skip_spaces() {
    while (take(' ') || take('\t')) {
    }
  }
  void skip_comment() {
    if (peek() != '#') return;
    while (!at_end() && peek() != '\n') ++at_;
  }
  void skip_blank_lines() {
    do {
      skip_spaces();
      take('\r');
      skip_comment();
    } while (take('\n') || peek() == ' ' || peek() == '\t');
  }

  Status end_of_line() {
    skip_spaces();
    skip_comment();
    take('\r');
    if (at_end() || take('\n')) return {};
    return error("unexpected {} before the end of the line; text needs quotes, as in \"12 GiB\"", found());
  }

  Status count_value() {
    if (++values_ > kMaxTomlValues) return error("more than {} values", kMaxTomlValues);
    return {};
  }

  // key, or key.key.key
  Result<std::vector<Segment>> key_path() {
    std::vector<Segment> path;
    do {
      skip_spaces();
      Segment segment{"", line_};
      if (peek() == '"' || peek() == '\'') {
        BERTH_TRY(segment.key, string());
      } else {
        while (!at_end() && is_bare_key_character(peek())) segment.key += text_[at_++];
        if (segment.key.empty()) return error("expected a key, found {}", found());
      }
      path.push_back(std::move(segment));
      if (path.size() > static_cast<std::size_t>(kMaxTomlDepth)) {
        return error("a key of more than {} parts", kMaxTomlDepth);
      }
      skip_spaces();
    } while (take('.'));
    return path;
  }

  // The value under a key of a table; a new one, of the given kind, when there is none.
  Result<TomlValue*> child(TomlValue& table, const Segment& segment, Kind kind, bool& is_new) {
    const auto [entry, inserted] = table.keys.try_emplace(segment.key, table.items.size());
    is_new = inserted;
    if (inserted) {
      BERTH_RETURN_IF_ERROR(count_value());
      TomlValue value;
      value.kind = kind;
      value.open = true;
      value.line = segment.line;
      table.items.push_back(std::move(value));
    }
    return &table.items[entry->second];
  }

  // The table that all but the last part of a path leads to, made where it is missing.
  Result<TomlValue*> parent(TomlValue& table, const std::vector<Segment>& path, bool through_arrays) {
    TomlValue* at = &table;
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
      bool is_new = false;
      BERTH_TRY(TomlValue * next, child(*at, path[i], Kind::kTable, is_new));
      if (through_arrays && next->kind == Kind::kArray && next->open) next = &next->items.back();
      if (next->kind != Kind::kTable || !next->open) {
        return error_at(path[i].line,
                        fmt::format("'{}' is {} already and takes no further keys", path[i].key, name_of(next->kind)));
      }
      at = next;
    }
    return at;
  }

  // [table] or [[array of tables]]; returns the table that the next lines fill.
  Result<TomlValue*> header(TomlValue& root) {
    const int line = line_;
    take('[');
    const bool array = take('[');
    BERTH_TRY(const std::vector<Segment> path, key_path());
    if (!take(']') || (array && !take(']'))) return error("expected {}, found {}", array ? "']]'" : "']'", found());
    BERTH_TRY(TomlValue * table, parent(root, path, true));
    const Segment& last = path.back();
    bool is_new = false;
    BERTH_TRY(TomlValue * value, child(*table, last, array ? Kind::kArray : Kind::kTable, is_new));
    if (!array) {
      if (value->kind != Kind::kTable || !value->open || value->defined) {
        return error_at(line, fmt::format("'{}' is there already, in line {}", last.key, value->line));
      }
      value->defined = true;
      return value;
    }
    if (value->kind != Kind::kArray || !value->open) {
      return error_at(line, fmt::format("'{}' is {} already, in line {}", last.key, name_of(value->kind), value->line));
    }
    BERTH_RETURN_IF_ERROR(count_value());
    TomlValue element;
    element.open = element.defined = true;
    element.line = line;
    value->items.push_back(std::move(element));
    return &value->items.back();
  }

  Status key_value(TomlValue& table, int depth) {
    BERTH_TRY(const std::vector<Segment> path, key_path());
    if (!take('=')) return error("expected '=' after the key '{}', found {}", path.back().key, found());
    skip_spaces();
    BERTH_TRY(TomlValue * owner, parent(table, path, false));
    bool is_new = false;
    BERTH_TRY(TomlValue * slot, child(*owner, path.back(), Kind::kTable, is_new));
    if (!is_new) {
      return error_at(path.back().line, fmt::format("'{}' is there already, in line {}", path.back().key, slot->line));
    }
    BERTH_TRY(*slot, value(depth));
    return {};
  }

  Result<TomlValue> value(int depth) {
    BERTH_RETURN_IF_ERROR(count_value());
    if (depth >= kMaxTomlDepth) return error("nested more than {} deep", kMaxTomlDepth);
    TomlValue result;
    result.line = line_;
    if (peek() == '"' || peek() == '\'') {
      result.kind = Kind::kString;
      BERTH_TRY(result.text, string());
      return result;
    }
    if (peek() == '[') return array(std::move(result), depth);
    if (peek() == '{') return inline_table(std::move(result), depth);
    return word(std::move(result));
  }

  Result<TomlValue> array(TomlValue result, int depth) {
    result.kind = Kind::kArray;
    take('[');
    for (skip_blank_lines(); !take(']'); skip_blank_lines()) {
      BERTH_TRY(TomlValue item, value(depth + 1));
      result.items.push_back(std::move(item));
      skip_blank_lines();
      if (!take(',') && peek() != ']') return error("expected ',' or ']' in the array, found {}", found());
    }
    return result;
  }

  Result<TomlValue> inline_table(TomlValue result, int depth) {
    result.kind = Kind::kTable;
    result.open = true;  // until its end, for its own dotted keys
    take('{');
    skip_spaces();
    while (!take('}')) {
      BERTH_RETURN_IF_ERROR(key_value(result, depth + 1));
      skip_spaces();
      if (take(',')) {
        skip_spaces();
      } else if (peek() != '}') {
        return error("expected ',' or '}}' in the table, found {}", found());
      }
    }
    result.open = false;
    return result;
  }

  // true, false or a number
  Result<TomlValue> word(TomlValue result) {
    constexpr std::string_view kEnds = " \t\r\n,]}#";
    const std::size_t end = std::min(text_.find_first_of(kEnds, at_), text_.size());
    const std::string_view found_word = text_.substr(at_, end - at_);
    if (found_word.empty()) return error("expected a value, found {}", found());
    at_ = end;
    if (found_word == "true" || found_word == "false") {
      result.kind = Kind::kBool;
      result.boolean = found_word == "true";
      return result;
    }
    std::string digits(found_word.substr(found_word.front() == '+' ? 1 : 0));
    std::erase(digits, '_');
    const char* const first = digits.data();
    const char* const last = first + digits.size();
    if (const auto [stop, failed] = std::from_chars(first, last, result.integer);
        failed == std::errc() && stop == last) {
      result.kind = Kind::kInteger;
      result.number = static_cast<double>(result.integer);
      return result;
    }
    if (const auto [stop, failed] = std::from_chars(first, last, result.number);
        failed == std::errc() && stop == last) {
      result.kind = Kind::kFloat;
      return result;
    }
    return error("'{}' is no value; text needs quotes", found_word.substr(0, 40));
  }

  Result<std::string> string() {
    const char quote = text_[at_++];
    if (text_.substr(at_, 2) == std::string(2, quote)) return error("strings of several lines are not read here");
    std::string result;
    while (!take(quote)) {
      if (at_end() || peek() == '\n' || peek() == '\r') return error("a string does not end on its line");
      const char c = text_[at_++];
      if (c == '\\' && quote == '"') {
        BERTH_RETURN_IF_ERROR(escape(result));
      } else if (c != '\t' && (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)) {
        return error("a control character in a string");
      } else {
        result += c;
      }
    }
    return result;
  }

  // After the backslash.
  Status escape(std::string& result) {
    constexpr std::string_view kLetters = "btnfre\"\\", kMeanings = "\b\t\n\f\r\x1b\"\\";
    const char letter = peek();
    if (letter == 'u' || letter == 'U') return unicode_escape(result);
    const std::size_t which = at_end() ? std::string_view::npos : kLetters.find(letter);
    if (which == std::string_view::npos) return error("no such escape in a string: \\{}", at_end() ? ' ' : letter);
    ++at_;
    result += kMeanings[which];
    return {};
  }

  Status unicode_escape(std::string& result) {
    const std::size_t length = text_[at_++] == 'u' ? 4 : 8;
    const std::string_view digits = text_.substr(at_, length);
    std::uint32_t code = 0;
    const auto [stop, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    const bool complete = failed == std::errc() && digits.size() == length && stop == digits.data() + length;
    if (!complete || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
      return error("no such character in a string");
    at_ += length;
    const auto put = [&](std::uint32_t byte) { result += static_cast<char>(byte); };
    const auto put_tail = [&](int shift) { put(0x80 | ((code >> shift) & 0x3F)); };
    if (code < 0x80) {
      put(code);
    } else if (code < 0x800) {
      put(0xC0 | (code >> 6)), put_tail(0);
    } else if (code < 0x10000) {
      put(0xE0 | (code >> 12)), put_tail(6), put_tail(0);
    } else {
      put(0xF0 | (code >> 18)), put_tail(12), put_tail(6), put_tail(0);
    }
    return {};
  }

  std::string_view text_, where_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::size_t values_ = 0;
};

}  // namespace

std::string_view name_of(TomlValue::Kind kind) {
  switch (kind) {
    case Kind::kBool:
      return "true or false";
    case Kind::kInteger:
      return "a whole number";
    case Kind::kFloat:
      return "a number";
    case Kind::kString:
      return "a string";
    case Kind::kArray:
      return "an array";
    case Kind::kTable:
      break;
  }
  return "a table";
}

Result<TomlValue> parse_toml(std::string_view text, std::string_view where) {
  if (text.size() > kMaxTomlBytes) {
    return in_file(where, bad_input("{} bytes; at most {} are read", text.size(), kMaxTomlBytes));
  }
  if (!simdjson::validate_utf8(text.data(), text.size())) {
    return in_file(where, bad_input("the text is not valid UTF-8"));
  }
  return TomlParser(text, where).parse();
}

std::string toml_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      result += fmt::format("\\u{:04X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      result += c;
    }
  }
  return result + '"';
}

}  // namespace berth

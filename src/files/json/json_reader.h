// SPDX-License-Identifier: Apache-2.0
// Reading JSON with errors that say where: simdjson's DOM behind Result-returning typed access. Every error of a value
// begins with its path, as in: ops[12].outputs[0].shape[1]: expected a non-negative integer, found "x".
//
// JsonDocument is a file whose root is an object. Its members, and the elements of its arrays, are parsed one at a
// time, so memory is the text plus one value. Numbers beyond 64 bits or double precision, wrong UTF-8 and nesting
// deeper than 1,024 are refused; so are repeated members, at the root and wherever fields() reads an object.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "files/json/json_outline.h"
#include "files/json/json_value.h"

namespace berth {

// The most text that one member or one element of a long array may take, unless a document is opened with another
// limit; its tape takes up to 13 times as much.
inline constexpr std::size_t kMaxJsonValueBytes = std::size_t{16} << 20;

class JsonDocument {
 public:
  // Finds the members of the root. Takes the text; a byte order mark in front is skipped.
  static Result<JsonDocument> open(std::string text, std::size_t max_value_bytes = kMaxJsonValueBytes);

  // Goes down into a member that is an object: from now on its members are those of the document.
  Status enter(std::string_view key);

  [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }
  // A member; valid until the next call of member() or for_each(). An error if it is missing.
  Result<JsonValue> member(std::string_view key);
  Result<std::string> string(std::string_view key);
  // Elements of an array member, one after the other; each is valid during its visit.
  Status for_each(std::string_view key, const JsonValue::Visit& visit);
  // Refuses members that are not in the list.
  [[nodiscard]] Status check_members(std::span<const std::string_view> known) const;

 private:
  struct Member {
    std::string key;
    JsonSpan value;
  };
  JsonDocument(std::string text, std::size_t max_value_bytes);
  Status read_outline();
  Status read_members(JsonScanner& scanner);  // behind the opening brace, up to the closing one
  Result<simdjson::dom::element> parse(JsonSpan span, const std::function<std::string()>& path);
  [[nodiscard]] const Member* find(std::string_view key) const;
  [[nodiscard]] Error missing(std::string_view key) const;
  [[nodiscard]] std::string_view text() const { return std::string_view(padded_).substr(0, size_); }

  std::string padded_;  // the text and what simdjson may read behind it
  std::size_t size_, max_value_bytes_;
  std::vector<Member> members_;
  std::unique_ptr<simdjson::dom::parser> parser_;
};

// The `format` member of a document is `wanted`, else a clear error.
Status check_format(JsonDocument& document, std::string_view wanted);

}  // namespace berth

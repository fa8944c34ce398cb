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
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "files/json/json_outline.h"

namespace berth {

// The most text that one member or one element of a long array may take, unless a document is opened with another
// limit; its tape takes up to 13 times as much.
inline constexpr std::size_t kMaxJsonValueBytes = std::size_t{16} << 20;

// The text in double quotes for an error message: one line, cut after 40 characters.
std::string in_quotes(std::string_view text);

enum class UnknownFields : std::uint8_t { kRefuse, kIgnore };

// A value and how it was reached. Must not outlive the value it was taken from.
class JsonValue {
 public:
  static constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  using Visit = std::function<Status(const JsonValue&)>;
  using VisitMember = std::function<Status(std::string_view key, const JsonValue&)>;
  using VisitField = std::function<Status(std::size_t field, const JsonValue&)>;

  JsonValue(simdjson::dom::element element, std::string_view key) : element_(element), key_(key) {}

  [[nodiscard]] Result<std::string_view> string() const;  // valid as long as the value
  [[nodiscard]] Result<std::int64_t> integer(std::int64_t low = 0, std::int64_t high = kLargest) const;
  [[nodiscard]] Result<double> number() const;  // always finite
  [[nodiscard]] Result<bool> boolean() const;
  [[nodiscard]] bool is_null() const { return element_.is_null(); }
  [[nodiscard]] bool is_bool() const { return element_.is_bool(); }
  [[nodiscard]] bool is_array() const { return element_.is_array(); }
  [[nodiscard]] bool is_object() const { return element_.is_object(); }

  Status for_each(const Visit& visit) const;               // elements of an array
  Status for_each_member(const VisitMember& visit) const;  // members of an object, as they stand
  // Members of an object whose names are in `names` (at most 32), each at most once; the result has a bit for each that
  // was there. Other members are refused with the nearest name, or ignored.
  Result<std::uint32_t> fields(std::span<const std::string_view> names, UnknownFields unknown,
                               const VisitField& visit) const;
  [[nodiscard]] std::optional<JsonValue> find(
      std::string_view key) const;                                     // none if there is no such member, or no object
  [[nodiscard]] std::optional<JsonValue> at(std::size_t index) const;  // none if there is no such element, or no array
  [[nodiscard]] std::size_t size() const;                              // elements of an array, else 0

  // "path: what"
  [[nodiscard]] Error error(std::string_view what) const { return bad_input("{}: {}", path(), what); }
  [[nodiscard]] Error expected(std::string_view what) const;  // "path: expected what, found ..."
  [[nodiscard]] std::string path() const;

 private:
  friend class JsonDocument;
  JsonValue(simdjson::dom::element element, const JsonValue* parent, std::string_view key, std::size_t index)
      : element_(element), parent_(parent), key_(key), index_(index) {}
  [[nodiscard]] std::string description() const;

  static constexpr std::size_t kNoIndex = std::numeric_limits<std::size_t>::max();
  simdjson::dom::element element_;
  const JsonValue* parent_ = nullptr;
  std::string_view key_;          // of a member
  std::size_t index_ = kNoIndex;  // of an element
};

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

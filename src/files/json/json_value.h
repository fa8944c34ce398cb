// SPDX-License-Identifier: Apache-2.0
// JsonValue: a value of a JSON text behind Result-returning typed access. Every error begins with the path of the value,
// as in: ops[12].outputs[0].shape[1]: expected a non-negative integer, found "x".
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth {

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

}  // namespace berth

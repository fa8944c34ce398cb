// SPDX-License-Identifier: Apache-2.0
// JsonWriter: writes JSON text front to back. Stable: equal calls, equal bytes.
//
//   JsonWriter json;
//   json.begin_object(JsonLayout::kLines).key("format").value("berth-plan/1");
//   json.key("ops").begin_array(JsonLayout::kLines);
//   json.begin_object().key("name").value("a").key("priority").value(0.5).end_object();  // one line
//   json.end_array().end_object();
//   std::string text = std::move(json).take();
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"

namespace berth {

enum class JsonLayout : std::uint8_t {
  kInline,  // [1, 2, 3]
  kLines,   // each element or member on a line of its own, indented
};

// Calls must nest properly; a key comes before every value in an object and nowhere else (checked).
class JsonWriter {
 public:
  JsonWriter& begin_object(JsonLayout layout = JsonLayout::kInline) { return begin('{', layout); }
  JsonWriter& end_object() { return end('}'); }
  JsonWriter& begin_array(JsonLayout layout = JsonLayout::kInline) { return begin('[', layout); }
  JsonWriter& end_array() { return end(']'); }
  JsonWriter& key(std::string_view name);

  // Text that is not UTF-8 comes out with U+FFFD in place of each wrong byte.
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(bool truth);
  // The shortest digits that read back to the same double; integral ones without a point. JSON has no infinities and no
  // NaN: they come out as null.
  JsonWriter& value(double number);
  // The shortest digits that read back to the same float, also by way of a double.
  JsonWriter& value(float number);
  JsonWriter& value(std::int64_t number);
  JsonWriter& value(std::uint64_t number);
  template <std::integral T>
  requires(!std::same_as<T, bool>) JsonWriter& value(T number) {
    if constexpr (std::signed_integral<T>) return value(static_cast<std::int64_t>(number));
    return value(static_cast<std::uint64_t>(number));
  }
  JsonWriter& null();
  template <typename T>
  JsonWriter& value(const std::optional<T>& perhaps) {  // none: null
    return perhaps ? value(*perhaps) : null();
  }

  // Members of an open object: members("name", device.name, "busy_s", 0.5).
  template <typename Value, typename... More>
  JsonWriter& members(std::string_view name, const Value& first, const More&... more) {
    key(name).value(first);
    if constexpr (sizeof...(more) > 0) members(more...);
    return *this;
  }
  // A member that is a list of plain values.
  template <typename Values>
  JsonWriter& list(std::string_view name, const Values& values, JsonLayout layout = JsonLayout::kInline) {
    key(name).begin_array(layout);
    for (const auto& one : values) value(one);
    return end_array();
  }
  // A member that is an object; `write()` adds its members.
  template <typename Write>
  JsonWriter& object(std::string_view name, const Write& write, JsonLayout layout = JsonLayout::kInline) {
    key(name).begin_object(layout);
    write();
    return end_object();
  }
  // A member that is a list of objects, each on a line; `write(entry)` adds the members of one.
  template <typename Entries, typename Write>
  JsonWriter& objects(std::string_view name, const Entries& entries, const Write& write,
                      JsonLayout layout = JsonLayout::kInline) {
    key(name).begin_array(JsonLayout::kLines);
    for (const auto& entry : entries) {
      begin_object(layout);
      write(entry);
      end_object();
    }
    return end_array();
  }

  // The text, with a newline at the end.
  [[nodiscard]] std::string take() &&;

 private:
  struct Container {
    JsonLayout layout;
    bool is_object;
    bool is_empty;
  };
  JsonWriter& begin(char bracket, JsonLayout layout);
  JsonWriter& end(char bracket);
  void separate();
  void before_value();
  void new_line();

  std::string text_;
  std::vector<Container> open_;
  bool has_key_ = false;
};

// The text of one object, a member a line; `write(json)` adds its members.
template <typename Write>
std::string json_document(const Write& write) {
  JsonWriter json;
  json.begin_object(JsonLayout::kLines);
  write(json);
  json.end_object();
  return std::move(json).take();
}

}  // namespace berth

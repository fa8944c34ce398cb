// SPDX-License-Identifier: Apache-2.0
#include "import/pt2/pt2_union.h"

namespace berth {

Result<Pt2Union> read_pt2_union(const JsonValue& json) {
  std::optional<Pt2Union> set;
  BERTH_RETURN_IF_ERROR(json.for_each_member([&](std::string_view kind, const JsonValue& value) -> Status {
    if (value.is_null()) return {};
    if (set) return json.error(fmt::format("it is both {} and {}", in_quotes(set->kind), in_quotes(kind)));
    set.emplace(Pt2Union{kind, value});
    return {};
  }));
  if (!set) return json.error("expected one member that is set");
  return *set;
}

Result<JsonValue> pt2_member(const JsonValue& json, std::string_view key) {
  if (!json.is_object()) return json.expected("an object");
  const auto found = json.find(key);
  if (!found) return json.error(fmt::format("\"{}\" is missing", key));
  return *found;
}

Result<std::string_view> pt2_string(const JsonValue& json, std::string_view key) {
  BERTH_TRY(const JsonValue value, pt2_member(json, key));
  return value.string();
}

}  // namespace berth

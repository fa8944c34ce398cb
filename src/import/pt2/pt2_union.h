// SPDX-License-Identifier: Apache-2.0
// The unions of torch.export's schema: {"as_int": 3}, an object with the one member that is set.
#pragma once

#include <string_view>

#include "base/result.h"
#include "files/json/json_reader.h"

namespace berth {

struct Pt2Union {
  std::string_view kind;
  JsonValue value;
};

// Must not outlive `json`. Members that are null count as not set.
Result<Pt2Union> read_pt2_union(const JsonValue& json);

// A member that must be there.
Result<JsonValue> pt2_member(const JsonValue& json, std::string_view key);

// The string that member must be.
Result<std::string_view> pt2_string(const JsonValue& json, std::string_view key);

}  // namespace berth

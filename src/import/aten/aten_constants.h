// SPDX-License-Identifier: Apache-2.0
// Arguments of captured ATen calls that are no tensors: strides, sizes, types, words.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "files/json/json_reader.h"
#include "model/model.h"

namespace berth {

using NamedConstants = std::vector<std::pair<std::string, Attribute>>;

// For people: an argument that is none of the known kinds is left out. Arguments by position are called "args[3]".
Result<NamedConstants> aten_constants(const std::optional<JsonValue>& args, const std::optional<JsonValue>& kwargs);

}  // namespace berth

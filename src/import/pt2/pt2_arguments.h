// SPDX-License-Identifier: Apache-2.0
// Arguments of the nodes of an exported program: the names they hold, or what they mean to a Node.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "files/json/json_reader.h"
#include "import/pt2/pt2_scope.h"
#include "model/model.h"

namespace berth {

// One place of an argument after lists are opened: a tensor, a symbolic number, or (without a name) anything else.
struct Pt2Slot {
  std::string_view name = {};        // valid as long as the JSON
  std::optional<DType> symbol = {};  // the type of a symbolic number
};

// Appends the places of an argument. Texts and subgraphs are no places.
Status append_slots(const JsonValue& argument, std::vector<Pt2Slot>& slots);

// Adds a named argument to the inputs and attributes of `node`.
Status add_argument(const JsonValue& named_argument, Pt2Scope& scope, Model& model, Node& node);

}  // namespace berth

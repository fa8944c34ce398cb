// SPDX-License-Identifier: Apache-2.0
// The signature of an exported program: what its graph's inputs and outputs are to the user.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "files/json/json_reader.h"
#include "graph/types.h"

namespace berth {

struct Pt2Input {
  std::string name = {};  // in the graph
  Role role = Role::kInput;
  std::string label = {};  // in the model
};

struct Pt2Signature {
  std::vector<Pt2Input> inputs = {};  // tensors only
  std::vector<std::string> outputs = {};
};

Result<Pt2Signature> read_pt2_signature(const JsonValue& json);

}  // namespace berth

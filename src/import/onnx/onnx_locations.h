// SPDX-License-Identifier: Apache-2.0
// External data of ONNX: tensors may have their contents in a file beside the model, whose name (`location`) is the
// model author's choice. Here are all such names in a model, wherever a tensor can stand, and fields with other names
// in their place.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "files/protobuf/wire.h"
#include "files/protobuf/wire_parts.h"

namespace berth {

// Messages that hold tensors.
enum class OnnxMessage : std::uint8_t {
  kModel,
  kGraph,
  kNode,
  kAttribute,
  kTensor,
  kSparseTensor,
  kFunction,
  kTraining,
};
inline constexpr std::uint32_t kModelGraph = 7;  // the field of a model that holds its graph

using OnnxLocations = std::map<std::string, std::string, std::less<>>;  // by the name in the file, the new one

// The names in a message, of a kind that holds tensors. An error if it is damaged or nested too deeply.
Status find_onnx_locations(std::string_view message, OnnxMessage kind, std::set<std::string, std::less<>>& found);

// A field of such a message with other names inside; nothing if it stays as it is, whatever field it is. `file` holds
// it.
Result<std::optional<WireParts>> rename_onnx_locations(std::string_view file, const WireReader& field,
                                                       OnnxMessage around, const OnnxLocations& renamed);

}  // namespace berth

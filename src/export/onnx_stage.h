// SPDX-License-Identifier: Apache-2.0
// One stage of a placed ONNX model as a model of its own.
#pragma once

#include <set>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "export/onnx_placement.h"
#include "export/source_nodes.h"
#include "import/onnx/onnx_types.h"
#include "model/model.h"

namespace berth {

struct OnnxStage {
  DeviceId device = kNoDevice;
  std::vector<std::uint32_t> nodes = {};                    // in topological order, constants it reads included
  std::vector<std::string_view> inputs = {}, outputs = {};  // what other stages or the model's user give and get
};

// Constants, inputs and outputs of every stage. An output of the model that a constant node makes comes from the last
// stage.
std::vector<OnnxStage> fill_stages(const OnnxSource& source, const OnnxPlacement& placement, std::vector<Stage> stages);

// Values whose rank may depend on the model's inputs: those of branches and loops, of functions, which may have some
// inside, and all that is made of them.
std::set<std::string_view> find_open_ranks(const OnnxSource& source, const PlacedNodes& placed);

// The model that stages are cut from.
struct OnnxWhole {
  std::string_view file;
  const OnnxSource& source;
  const Model& model;      // the same file with its shapes worked out
  const OnnxTypes& types;  // of its values
  const std::set<std::string_view>& open_ranks;
  const OnnxLocations& locations;  // where weights outside the file go
};

// What the file of the stage is put together from. An error, with the node's name, if the type of what goes from stage
// to stage is not known.
Result<std::vector<FilePart>> write_onnx_stage(const OnnxWhole& whole, const OnnxStage& stage);

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
// One stage of a placed ONNX model as a model of its own.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/export/onnx_placement.h"
#include "io/export/stages.h"
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

// What the file of the stage is put together from. `model` is the same file with its types worked out; an error if the
// type of an input of the stage is not known.
Result<std::vector<FilePart>> write_onnx_stage(std::string_view file, const OnnxSource& source, const Model& model,
                                               const OnnxStage& stage);

}  // namespace berth

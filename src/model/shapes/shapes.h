// SPDX-License-Identifier: Apache-2.0
// Shapes of a model, whatever its dialect: names get their sizes, then rules infer what the file leaves open. The rules
// of a dialect are in the folder of its name; what they share is here: rules.h says what a rule is, pass.h how nodes
// are visited, dims.h, window.h and arrange.h how sizes are worked out.
#pragma once

#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "model/sizes.h"

namespace berth {

struct NamedSizes {
  std::vector<NamedDim> open;   // names of dimensions of the model
  std::vector<NamedDim> bound;  // names that rules have replaced by numbers, wherever they went
};

// `given` are the sizes that the user gives; a name that the model does not have is an error. Other names have the size
// of the file, else 1 (model/sizes.h). Loops of unknown length turn loop_turns(given) times.
Result<NamedSizes> infer_shapes(Model& model, const DimSizes& given);

}  // namespace berth

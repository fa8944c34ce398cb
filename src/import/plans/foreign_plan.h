// SPDX-License-Identifier: Apache-2.0
// Placements that other programs take or make, read as plans, so that they can be judged like ours: accelerate's
// device_map, layer settings of ONNX Runtime, affinities of OpenVINO, device fields of TensorFlow, and CSV. They are
// recognised by what is in them. What they say about devices is turned into a legal plan by given_placement().
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "import/model_file.h"
#include "import/plans/given_placement.h"
#include "problem/problem.h"

namespace berth {

struct ForeignPlanRequest {
  std::string path;  // of the plan
  const Problem& problem;
  std::string source = {};    // GRAPH as the user gives it: settings of ONNX Runtime speak of the nodes in its file
  ImportOptions import = {};  // how that file was read
};

struct ForeignPlan {
  std::string_view format;  // "device_map of accelerate"
  GivenPlacement given = {};
};

// Whether a plan's text is of another program: all but a JSON object with a "format" of ours.
bool is_foreign_plan(const std::string& path, const std::string& text);

// Errors begin with the path.
Result<ForeignPlan> read_foreign_plan(const std::string& text, const ForeignPlanRequest& request);

}  // namespace berth

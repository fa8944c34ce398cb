// SPDX-License-Identifier: Apache-2.0
// The zoo: the models of the device-placement papers, and a few larger ones, as graphs of one training step or one
// inference.
//
//   BERTH_TRY(Graph graph, build_zoo_model("nmt-4,batch=128,unroll=40,mode=train"));
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "graph/graph.h"
#include "zoo/settings.h"

namespace berth {

struct ModelInfo {
  std::string_view name;
  std::string_view summary;
  std::vector<ParameterInfo> parameters;
};

// Largest graph a zoo model may have; more is refused before it is built.
inline constexpr double kMaxZooOps = 4e6;

std::span<const ModelInfo> zoo_models();  // the only list, in the order of the documentation

// Spec: a name of zoo_models(), then ",parameter=value" in any order. The title of the graph is the spec.
Result<Graph> build_zoo_model(std::string_view spec);

}  // namespace berth

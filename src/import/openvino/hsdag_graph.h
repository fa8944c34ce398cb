// SPDX-License-Identifier: Apache-2.0
// The graph of an OpenVINO model exactly as HSDAG (Duan et al., NeurIPS 2024) builds it: one node per layer of the
// file, Const, Parameter and Result included, in the order of the file; one edge per pair of layers, however many ports
// join them. ResNet-50 with weights compressed to FP16 has 396 nodes and 411 edges, as the paper's table 1 says.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace berth {

struct HsdagGraph {
  // Per node.
  std::vector<std::string> names, types;
  std::vector<std::vector<std::int64_t>> shapes;  // of the first output, a Result's input; -1: dynamic
  // Distinct (from, to), sorted. There is no cycle.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
};

Result<HsdagGraph> read_hsdag_graph(std::string_view xml);

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
// The graph of an OpenVINO model exactly as HSDAG (Duan et al., NeurIPS 2024) builds it: one node per layer of the
// file, Const, Parameter and Result included, in the order of the file; one edge per pair of layers, however many ports
// join them. ResNet-50 with weights compressed to FP16 has 396 nodes and 411 edges, as the paper's table 1 says.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "import/openvino/ir_links.h"
#include "import/openvino/ir_net.h"

namespace berth {

struct HsdagGraph {
  std::vector<std::string> names, types;                       // per node
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;  // distinct (from, to), sorted; there is no cycle
};

inline Result<HsdagGraph> read_hsdag_graph(std::string_view xml) {
  BERTH_TRY(const openvino::IrNet net, openvino::parse_model_ir(xml));
  BERTH_TRY(const openvino::IrLinks links, openvino::link_layers(net));
  HsdagGraph graph;
  for (std::uint32_t at = 0; at < net.layers.size(); ++at) {
    graph.names.push_back(net.layers[at].name);
    graph.types.push_back(net.layers[at].type);
    for (const openvino::IrSource& source : links.sources[at]) graph.edges.emplace_back(source.layer, at);
  }
  std::ranges::sort(graph.edges);
  graph.edges.erase(std::unique(graph.edges.begin(), graph.edges.end()), graph.edges.end());
  return graph;
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include "import/openvino/hsdag_graph.h"

#include <algorithm>

#include "import/openvino/ir_links.h"
#include "import/openvino/ir_net.h"

namespace berth {
namespace {

std::vector<std::int64_t> shape_of(const openvino::IrLayer& layer) {
  if (!layer.outputs.empty()) return layer.outputs.front().dims;
  return layer.inputs.empty() ? std::vector<std::int64_t>() : layer.inputs.front().dims;
}

}  // namespace

Result<HsdagGraph> read_hsdag_graph(std::string_view xml) {
  BERTH_TRY(const openvino::IrNet net, openvino::parse_model_ir(xml));
  BERTH_TRY(const openvino::IrLinks links, openvino::link_layers(net));
  HsdagGraph graph;
  for (std::uint32_t at = 0; at < net.layers.size(); ++at) {
    const openvino::IrLayer& layer = net.layers[at];
    graph.names.push_back(layer.name);
    graph.types.push_back(layer.type);
    graph.shapes.push_back(shape_of(layer));
    for (const openvino::IrSource& source : links.sources[at]) graph.edges.emplace_back(source.layer, at);
  }
  std::ranges::sort(graph.edges);
  graph.edges.erase(std::unique(graph.edges.begin(), graph.edges.end()), graph.edges.end());
  return graph;
}

}  // namespace berth

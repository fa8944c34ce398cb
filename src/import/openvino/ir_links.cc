// SPDX-License-Identifier: Apache-2.0
#include "import/openvino/ir_links.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "graph/builder.h"

namespace berth::openvino {
namespace {

constexpr std::uint32_t kUnlinked = std::numeric_limits<std::uint32_t>::max();

// All inputs, or all outputs, of a net by layer and port id. A sorted list: ids are chosen by the file, so a hash table
// could be made slow.
class PortIndex {
 public:
  static Result<PortIndex> make(const IrNet& net, std::vector<IrPort> IrLayer::*side) {
    PortIndex index;
    for (std::uint32_t layer = 0; layer < net.layers.size(); ++layer) {
      const auto& ports = net.layers[layer].*side;
      for (std::uint32_t i = 0; i < ports.size(); ++i) index.entries_.push_back({layer, ports[i].id, i});
    }
    if (index.entries_.size() > kMaxTensors) return bad_input("it has more than {} ports", kMaxTensors);
    std::ranges::sort(index.entries_);
    const auto twin = std::ranges::adjacent_find(
        index.entries_, [](const Entry& a, const Entry& b) { return a.layer == b.layer && a.id == b.id; });
    if (twin == index.entries_.end()) return index;
    return bad_input("{}: two ports have the id {}", describe(net.layers[twin->layer]), twin->id);
  }

  // Position of the port in its layer, kUnlinked if there is none.
  [[nodiscard]] std::uint32_t find(std::uint32_t layer, std::uint64_t id) const {
    const auto found = std::ranges::lower_bound(entries_, Entry{layer, id, 0});
    return found != entries_.end() && found->layer == layer && found->id == id ? found->position : kUnlinked;
  }

 private:
  struct Entry {
    std::uint32_t layer;
    std::uint64_t id;
    std::uint32_t position;
    auto operator<=>(const Entry&) const = default;
  };
  std::vector<Entry> entries_;
};

Status connect(const IrNet& net, const IrEdge& edge, const IrLayerIndex& layers, const PortIndex& inputs,
               const PortIndex& outputs, IrLinks& links) {
  BERTH_TRY(const std::uint32_t from, layers.find(edge.from_layer));
  BERTH_TRY(const std::uint32_t to, layers.find(edge.to_layer));
  const std::uint32_t output = outputs.find(from, edge.from_port);
  const std::uint32_t input = inputs.find(to, edge.to_port);
  if (output == kUnlinked) {
    return bad_input("{}: an edge leaves its port {}, which is no output of it", describe(net.layers[from]),
                     edge.from_port);
  }
  if (input == kUnlinked) {
    return bad_input("{}: an edge enters its port {}, which is no input of it", describe(net.layers[to]), edge.to_port);
  }
  IrSource& source = links.sources[to][input];
  if (source.layer != kUnlinked) {
    return bad_input("{}: two edges enter its port {}", describe(net.layers[to]), edge.to_port);
  }
  source = {from, output};
  return {};
}

Status check_all_linked(const IrNet& net, const IrLinks& links) {
  for (std::size_t layer = 0; layer < net.layers.size(); ++layer) {
    for (std::size_t i = 0; i < links.sources[layer].size(); ++i) {
      if (links.sources[layer][i].layer != kUnlinked) continue;
      return bad_input("{}: no edge enters its port {}", describe(net.layers[layer]), net.layers[layer].inputs[i].id);
    }
  }
  return {};
}

std::size_t count_distinct(const IrLinks& links) {
  std::size_t count = 0;
  for (std::vector<IrSource> sources : links.sources) {
    std::ranges::sort(sources);
    count += static_cast<std::size_t>(std::unique(sources.begin(), sources.end()) - sources.begin());
  }
  return count;
}

Status sort_topologically(const IrNet& net, IrLinks& links) {
  const std::size_t count = net.layers.size();
  std::vector<std::vector<std::uint32_t>> consumers(count);
  std::vector<std::size_t> waiting(count);
  for (std::uint32_t layer = 0; layer < count; ++layer) {
    waiting[layer] = links.sources[layer].size();
    for (const IrSource& source : links.sources[layer]) consumers[source.layer].push_back(layer);
    if (waiting[layer] == 0) links.order.push_back(layer);
  }
  for (std::size_t next = 0; next < links.order.size(); ++next) {
    for (const std::uint32_t consumer : consumers[links.order[next]]) {
      if (--waiting[consumer] == 0) links.order.push_back(consumer);
    }
  }
  if (links.order.size() == count) return {};
  const auto stuck = std::ranges::find_if(waiting, [](std::size_t inputs) { return inputs > 0; });
  return bad_input("{}: it waits for itself: the layers form a cycle",
                   describe(net.layers[static_cast<std::size_t>(stuck - waiting.begin())]));
}

}  // namespace

Result<IrLayerIndex> IrLayerIndex::make(const IrNet& net) {
  if (net.layers.size() > kMaxOps)
    return bad_input("it has {} layers; at most {} are read", net.layers.size(), kMaxOps);
  IrLayerIndex index;
  for (std::uint32_t layer = 0; layer < net.layers.size(); ++layer)
    index.entries_.push_back({net.layers[layer].id, layer});
  std::ranges::sort(index.entries_);
  const auto twin = std::ranges::adjacent_find(index.entries_, {}, &Entry::id);
  if (twin == index.entries_.end()) return index;
  return bad_input("{}: its id {} is that of another layer", describe(net.layers[std::next(twin)->layer]), twin->id);
}

Result<std::uint32_t> IrLayerIndex::find(std::uint64_t id) const {
  const auto found = std::ranges::lower_bound(entries_, id, {}, &Entry::id);
  if (found != entries_.end() && found->id == id) return found->layer;
  return bad_input("an edge names the layer {}, which is not there", id);
}

Result<IrLinks> link_layers(const IrNet& net) {
  BERTH_TRY(const IrLayerIndex layers, IrLayerIndex::make(net));
  BERTH_TRY(const PortIndex inputs, PortIndex::make(net, &IrLayer::inputs));
  BERTH_TRY(const PortIndex outputs, PortIndex::make(net, &IrLayer::outputs));
  IrLinks links;
  for (const IrLayer& layer : net.layers) links.sources.emplace_back(layer.inputs.size(), IrSource{kUnlinked, 0});
  for (const IrEdge& edge : net.edges) BERTH_RETURN_IF_ERROR(connect(net, edge, layers, inputs, outputs, links));
  BERTH_RETURN_IF_ERROR(check_all_linked(net, links));
  links.num_edges = count_distinct(links);
  BERTH_RETURN_IF_ERROR(sort_topologically(net, links));
  return links;
}

}  // namespace berth::openvino

// SPDX-License-Identifier: Apache-2.0
#include "plan/layers/layers.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

#include "plan/layers/backward_ops.h"
#include "plan/layers/layer_names.h"
#include "problem/weights.h"

namespace berth {
namespace {

constexpr std::uint32_t kNoLayer = std::numeric_limits<std::uint32_t>::max();

bool computes(const Graph& graph, OpId op) { return graph.role(op) == Role::kCompute; }

// "/encoder/layer.0/query" of "/encoder/layer.0/query/MatMul", as ONNX and TensorFlow name ops; "" of "Conv_17".
std::string_view scope_of(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : name.substr(0, slash);
}

// Whether names of ops stand in for modules: the graph has none, and most ops that compute are in some scope.
bool names_have_scopes(const Graph& graph) {
  std::size_t all = 0, scoped = 0;
  for (const OpId op : graph.ops()) {
    if (!computes(graph, op)) continue;
    if (!graph.module(op).empty()) return false;
    ++all;
    scoped += scope_of(graph.name(op)).empty() ? 0 : 1;
  }
  return 2 * scoped > all;
}

// The path of every op: its module or scope, and of weights that have none their label's. Where most ops are named, a
// label that has nothing in common with them was made up by an exporter ("onnx::MatMul_1606") and says nothing.
std::vector<std::string> paths_of(const Graph& graph) {
  const bool by_name = names_have_scopes(graph);
  std::vector<std::string> paths(graph.num_ops());
  std::set<std::string, std::less<>> roots;
  std::size_t named = 0, unnamed = 0;
  for (const OpId op : graph.ops()) {
    std::string& path = paths[index(op)];
    path = graph.module(op);
    if (by_name && path.empty() && !is_resident(graph.role(op))) path = scope_of(graph.name(op));
    if (!computes(graph, op)) continue;
    ++(path.empty() ? unnamed : named);
    if (!path.empty()) roots.emplace(first_component(path));
  }
  for (const OpId op : graph.ops()) {
    const std::string& label = graph.label(op);
    if (!is_resident(graph.role(op)) || !paths[index(op)].empty() || label.empty()) continue;
    std::string path = module_of_label(label);
    if (named <= unnamed || roots.contains(first_component(path))) paths[index(op)] = std::move(path);
  }
  return paths;
}

class LayerFinder {
 public:
  explicit LayerFinder(const Graph& graph) : graph_(graph), backward_(backward_ops(graph)) {}

  std::optional<Layers> run() {
    name_layers();
    if (names_.empty()) return std::nullopt;
    find_parameters_behind_views();
    order_layers();
    spread_forward();
    spread_backward();
    fill_from_consumers();
    std::ranges::replace(layer_, kNoLayer, 0U);
    return Layers{std::move(names_), std::move(layer_), std::move(backward_)};
  }

 private:
  // named_: the layer that an op's own path or label names.
  void name_layers() {
    const std::vector<std::string> path_of = paths_of(graph_);
    std::vector<std::string> paths;
    std::unordered_map<std::string, std::uint32_t> path_ids;
    std::vector<std::uint32_t> path_of_op(graph_.num_ops());
    for (const OpId op : graph_.ops()) {
      const auto [entry, is_new] = path_ids.try_emplace(path_of[index(op)], static_cast<std::uint32_t>(paths.size()));
      if (is_new) paths.push_back(entry->first);
      path_of_op[index(op)] = entry->second;
    }
    const std::vector<std::string> layer_of_path = layer_names(paths);
    std::unordered_map<std::string, std::uint32_t> layer_ids;
    std::vector<std::uint32_t> id_of_path(paths.size(), kNoLayer);
    for (std::size_t path = 0; path < paths.size(); ++path) {
      if (layer_of_path[path].empty()) continue;
      const auto [entry, is_new] =
          layer_ids.try_emplace(layer_of_path[path], static_cast<std::uint32_t>(names_.size()));
      if (is_new) names_.push_back(entry->first);
      id_of_path[path] = entry->second;
    }
    named_.resize(graph_.num_ops());
    for (const OpId op : graph_.ops()) named_[index(op)] = id_of_path[path_of_op[index(op)]];
  }

  // parameter_layer_: of parameters, buffers and constants, and of views of them; none for all other ops.
  void find_parameters_behind_views() {
    parameter_layer_.assign(graph_.num_ops(), kNoLayer);
    for (const OpId op : graph_.topological_order()) {
      if (is_resident(graph_.role(op))) {
        parameter_layer_[index(op)] = named_[index(op)];
      } else if (graph_.role(op) == Role::kView) {
        parameter_layer_[index(op)] = parameter_layer_[index(graph_.producer(graph_.inputs(op).front()))];
      }
    }
  }

  // The layer an op names or is bound to by the parameters it reads.
  [[nodiscard]] std::uint32_t own_layer(OpId op) const {
    if (named_[index(op)] != kNoLayer) return named_[index(op)];
    for (const TensorId tensor : graph_.inputs(op)) {
      const std::uint32_t layer = parameter_layer_[index(graph_.producer(tensor))];
      if (layer != kNoLayer) return layer;
    }
    return kNoLayer;
  }

  // Renumbers the layers by the place of their first forward op, so that "later" is a larger number.
  void order_layers() {
    std::vector<std::size_t> first(names_.size(), std::numeric_limits<std::size_t>::max());
    std::size_t place = 0;
    for (const OpId op : graph_.topological_order()) {
      ++place;
      if (graph_.role(op) != Role::kCompute || backward_[index(op)] != 0) continue;
      if (const std::uint32_t layer = own_layer(op); layer != kNoLayer) first[layer] = std::min(first[layer], place);
    }
    std::vector<std::uint32_t> order(names_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t layer) { return first[layer]; });
    std::vector<std::uint32_t> rank(names_.size());
    std::vector<std::string> names(names_.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      rank[order[i]] = i;
      names[i] = std::move(names_[order[i]]);
    }
    names_ = std::move(names);
    for (auto* layers : {&named_, &parameter_layer_}) {
      for (std::uint32_t& layer : *layers) layer = layer == kNoLayer ? kNoLayer : rank[layer];
    }
  }

  void spread_forward() {
    layer_.assign(graph_.num_ops(), kNoLayer);
    for (const OpId op : graph_.topological_order()) {
      if (backward_[index(op)] != 0) continue;
      std::uint32_t layer = own_layer(op);
      if (layer == kNoLayer) {
        for (const TensorId tensor : graph_.distinct_inputs(op)) layer = later(layer, layer_of_producer(tensor));
      }
      layer_[index(op)] = layer;
    }
    fill_from_consumers();
  }

  void spread_backward() {
    const std::vector<std::uint32_t> led_to = layers_led_to();
    for (const OpId op : graph_.topological_order()) {
      if (backward_[index(op)] != 0) layer_[index(op)] = backward_layer(op, led_to[index(op)]);
    }
  }

  [[nodiscard]] std::uint32_t backward_layer(OpId op, std::uint32_t led_to) const {
    if (const OpId parameter = graph_.updated_parameter(op); parameter != kNoOp) return layer_[index(parameter)];
    if (const OpId forward = graph_.forward_of(op); forward != kNoOp) return layer_[index(forward)];
    if (const std::uint32_t own = own_layer(op); own != kNoLayer) return own;
    if (led_to != kNoLayer) return led_to;
    std::uint32_t latest_forward = kNoLayer, earliest_gradient = kNoLayer;
    for (const TensorId tensor : graph_.distinct_inputs(op)) {
      const bool is_gradient = backward_[index(graph_.producer(tensor))] != 0;
      const std::uint32_t layer = layer_of_producer(tensor);
      if (is_gradient) {
        earliest_gradient = std::min(earliest_gradient, layer);  // kNoLayer is the largest
      } else {
        latest_forward = later(latest_forward, layer);
      }
    }
    return latest_forward != kNoLayer ? latest_forward : earliest_gradient;
  }

  // For every op the layer of the one parameter whose update is all it leads to; none where it leads elsewhere too.
  [[nodiscard]] std::vector<std::uint32_t> layers_led_to() const {
    std::vector<std::uint32_t> led_to(graph_.num_ops(), kNoLayer);
    const auto order = graph_.topological_order();
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
      const OpId op = *at;
      if (const OpId parameter = graph_.updated_parameter(op); parameter != kNoOp) {
        led_to[index(op)] = parameter_layer_[index(parameter)];
        continue;
      }
      std::uint32_t common = kNoLayer;
      bool agree = true;
      for (const TensorId tensor : graph_.outputs(op)) {
        for (const OpId consumer : graph_.consumers(tensor)) {
          const std::uint32_t layer = led_to[index(consumer)];
          agree = agree && layer != kNoLayer && (common == kNoLayer || common == layer);
          common = layer;
        }
      }
      if (agree) led_to[index(op)] = common;
    }
    return led_to;
  }

  // Ops without a layer so far take the earliest one of their consumers.
  void fill_from_consumers() {
    const auto order = graph_.topological_order();
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
      const OpId op = *at;
      if (layer_[index(op)] != kNoLayer) continue;
      for (const TensorId tensor : graph_.outputs(op)) {
        for (const OpId consumer : graph_.consumers(tensor)) {
          layer_[index(op)] = std::min(layer_[index(op)], layer_[index(consumer)]);
        }
      }
    }
  }

  [[nodiscard]] std::uint32_t layer_of_producer(TensorId tensor) const {
    return layer_[index(graph_.producer(tensor))];
  }
  static std::uint32_t later(std::uint32_t a, std::uint32_t b) {
    if (a == kNoLayer || b == kNoLayer) return std::min(a, b);
    return std::max(a, b);
  }

  const Graph& graph_;
  std::vector<std::uint8_t> backward_;
  std::vector<std::string> names_;
  std::vector<std::uint32_t> named_, parameter_layer_, layer_;
};

}  // namespace

std::optional<Layers> find_layers(const Graph& graph) { return LayerFinder(graph).run(); }

std::vector<TiedLayers> tied_layers(const Graph& graph, const Layers& layers) {
  std::map<std::vector<std::uint32_t>, Bytes> shared;
  std::vector<Bytes> read(layers.names.size());
  for (const std::vector<OpId>& weight_and_readers : weights_with_readers(graph)) {
    std::set<std::uint32_t> readers;
    Bytes bytes = 0;
    for (const OpId op : weight_and_readers) {
      bytes += graph.resident_bytes(op);
      if (computes(graph, op)) readers.insert(layers.of_op[index(op)]);
    }
    for (const std::uint32_t layer : readers) read[layer] += bytes;
    if (readers.size() > 1) shared[{readers.begin(), readers.end()}] += bytes;
  }
  std::vector<TiedLayers> all;
  for (const auto& [readers, bytes] : shared) {
    TiedLayers tied{readers, {}, bytes};
    std::ranges::copy_if(readers, std::back_inserter(tied.bound),
                         [&, bytes = bytes](std::uint32_t layer) { return 2 * bytes > read[layer]; });
    if (!tied.bound.empty()) all.push_back(std::move(tied));
  }
  std::ranges::stable_sort(all, std::greater(), &TiedLayers::shared);
  return all;
}

}  // namespace berth

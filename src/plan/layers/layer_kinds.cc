// SPDX-License-Identifier: Apache-2.0
#include "plan/layers/layer_kinds.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <string>
#include <string_view>

namespace berth {
namespace {

constexpr std::array<std::string_view, 3> kRecurrentTypes{"lstm", "gru", "rnn"};
constexpr std::array<std::string_view, 4> kLookupTypes{"embedding", "gather", "lookup", "index_select"};

std::vector<std::uint8_t> types_that_mention(const Graph& graph, std::span<const std::string_view> words) {
  std::vector<std::uint8_t> result;
  for (std::string type : graph.types()) {
    std::ranges::transform(type, type.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const bool found = std::ranges::any_of(words, [&](auto word) { return type.find(word) != std::string::npos; });
    result.push_back(found ? 1 : 0);
  }
  return result;
}

class KindFinder {
 public:
  KindFinder(const Graph& graph, const Layers& layers)
      : graph_(graph),
        layers_(layers),
        kinds_(layers.names.size(), LayerKind::kOther),
        visited_(graph.num_ops(), kNoOp),
        reader_of_(graph.num_ops(), kNoOp) {}

  std::vector<LayerKind> run() {
    const auto recurrent_type = types_that_mention(graph_, kRecurrentTypes);
    const auto lookup_type = types_that_mention(graph_, kLookupTypes);
    for (const OpId op : graph_.ops()) {
      LayerKind& kind = kind_of(op);
      if (graph_.role(op) == Role::kParameter) {
        if (kind != LayerKind::kRecurrent && feeds_itself(op)) kind = LayerKind::kRecurrent;
      } else if (graph_.role(op) == Role::kCompute && layers_.backward[index(op)] == 0) {
        const std::uint32_t type = graph_.type_index(op);
        if (recurrent_type[type] != 0) kind = LayerKind::kRecurrent;
        if (lookup_type[type] != 0 && kind == LayerKind::kOther) kind = LayerKind::kEmbedding;
      }
    }
    return std::move(kinds_);
  }

  std::vector<OpId> parameters() {
    std::vector<OpId> found;
    for (const OpId op : graph_.ops()) {
      if (graph_.role(op) == Role::kParameter && feeds_itself(op)) found.push_back(op);
    }
    return found;
  }

 private:
  LayerKind& kind_of(OpId op) { return kinds_[layers_.of_op[index(op)]]; }

  // Whether what one forward op computes from this parameter reaches, inside the layer, another op that reads it. One
  // that other layers read as well is no cell's own: exporters write equal weights once, such as those of fresh
  // normalisations.
  bool feeds_itself(OpId parameter) {
    const std::vector<OpId> readers = forward_readers(parameter);
    const auto is_elsewhere = [&](OpId op) { return layers_.of_op[index(op)] != layers_.of_op[index(parameter)]; };
    if (readers.size() < 2 || std::ranges::any_of(readers, is_elsewhere)) return false;
    for (const OpId reader : readers) reader_of_[index(reader)] = parameter;
    // The first step of an unrolled cell need not have the lowest id, so every reader is a start; visits are shared.
    for (const OpId start : readers) {
      if (visited_[index(start)] != parameter && reaches_another(start, parameter)) return true;
    }
    return false;
  }

  // Forward ops that read a parameter, directly or through views.
  [[nodiscard]] std::vector<OpId> forward_readers(OpId parameter) const {
    std::vector<OpId> readers, sources{parameter};
    while (!sources.empty()) {
      const OpId source = sources.back();
      sources.pop_back();
      for (const TensorId tensor : graph_.outputs(source)) {
        for (const OpId consumer : graph_.consumers(tensor)) {
          if (graph_.role(consumer) == Role::kView) {
            sources.push_back(consumer);
          } else if (layers_.backward[index(consumer)] == 0) {
            readers.push_back(consumer);
          }
        }
      }
    }
    return readers;
  }

  bool reaches_another(OpId start, OpId parameter) {
    std::vector<OpId> stack{start};
    while (!stack.empty()) {
      const OpId op = stack.back();
      stack.pop_back();
      if (op != start && reader_of_[index(op)] == parameter) return true;
      for (const TensorId tensor : graph_.outputs(op)) {
        for (const OpId consumer : graph_.consumers(tensor)) {
          const bool inside = layers_.of_op[index(consumer)] == layers_.of_op[index(start)];
          if (!inside || layers_.backward[index(consumer)] != 0 || visited_[index(consumer)] == parameter) continue;
          visited_[index(consumer)] = parameter;
          stack.push_back(consumer);
        }
      }
    }
    return false;
  }

  const Graph& graph_;
  const Layers& layers_;
  std::vector<LayerKind> kinds_;
  std::vector<OpId> visited_, reader_of_;  // the last parameter for which an op was visited, was found to be a reader
};

}  // namespace

std::vector<LayerKind> layer_kinds(const Graph& graph, const Layers& layers) { return KindFinder(graph, layers).run(); }

std::vector<OpId> recurrent_parameters(const Graph& graph, const Layers& layers) {
  return KindFinder(graph, layers).parameters();
}

}  // namespace berth

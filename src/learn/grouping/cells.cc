// SPDX-License-Identifier: Apache-2.0
#include "learn/grouping/cells.h"

#include <algorithm>
#include <map>
#include <ranges>

#include "base/disjoint_sets.h"
#include "learn/grouping/labels.h"
#include "plan/layers/layer_kinds.h"
#include "plan/layers/layers.h"

namespace berth::learn {
namespace {

// Where an op is in an unrolled network. Recurrences are numbered as the parameters that close them.
struct Place {
  std::uint32_t recurrence = kNoLabel;
  std::uint32_t step = 0;  // from 1

  [[nodiscard]] bool known() const { return recurrence != kNoLabel; }
};

class CellFinder {
 public:
  CellFinder(const Graph& graph, const Layers& layers)
      : graph_(graph),
        layers_(layers),
        parameters_(recurrent_parameters(graph, layers)),
        same_(parameters_.size()),
        read_(graph.num_ops(), kNoLabel),
        place_(graph.num_ops()) {}

  std::vector<std::uint32_t> run() {
    find_parameters_behind_views();
    spread_steps();  // once to see which parameters belong to one recurrence: those of the gates of a cell do
    std::ranges::fill(place_, Place{});
    spread_steps();
    fill_from_consumers();
    std::vector<std::uint32_t> label = number_places();
    spread_labels(graph_, layers_.backward, label);
    return label;
  }

 private:
  [[nodiscard]] bool is_forward(OpId op) const {
    return layers_.backward[index(op)] == 0 && !is_resident(graph_.role(op));
  }
  [[nodiscard]] bool same_layer(OpId a, OpId b) const { return layers_.of_op[index(a)] == layers_.of_op[index(b)]; }

  // read_: the recurrent parameter that an op is, or is a view of.
  void find_parameters_behind_views() {
    for (std::uint32_t i = 0; i < parameters_.size(); ++i) read_[index(parameters_[i])] = i;
    for (const OpId op : graph_.topological_order()) {
      if (graph_.role(op) == Role::kView) read_[index(op)] = read_[index(graph_.producer(graph_.inputs(op).front()))];
    }
  }

  void spread_steps() {
    for (const OpId op : graph_.topological_order()) {
      if (is_forward(op) && read_[index(op)] == kNoLabel) place_[index(op)] = place_by_inputs(op);
    }
  }

  // The latest step of the first recurrence among the inputs; an op that reads a recurrent parameter begins the next.
  Place place_by_inputs(OpId op) {
    Place place;
    bool begins = false;
    for (const TensorId tensor : graph_.inputs(op)) {
      const std::uint32_t parameter = read_[index(graph_.producer(tensor))];
      if (parameter == kNoLabel || !same_layer(graph_.producer(tensor), op)) continue;
      begins = true;
      place.recurrence = same_.root(parameter);
    }
    for (const TensorId tensor : graph_.inputs(op)) {
      const OpId producer = graph_.producer(tensor);
      const Place before = place_[index(producer)];
      if (!before.known() || !same_layer(producer, op)) continue;
      if (begins) same_.unite(place.recurrence, before.recurrence);
      if (!place.known()) place.recurrence = before.recurrence;
      if (same_.root(place.recurrence) == same_.root(before.recurrence)) place.step = std::max(place.step, before.step);
    }
    if (begins) ++place.step;
    return place;
  }

  // What a step computes from its inputs before they meet the state.
  void fill_from_consumers() {
    for (const OpId op : graph_.topological_order() | std::views::reverse) {
      if (!is_forward(op) || place_[index(op)].known() || read_[index(op)] != kNoLabel) continue;
      Place& place = place_[index(op)];
      for (const TensorId tensor : graph_.outputs(op)) {
        for (const OpId consumer : graph_.consumers(tensor)) {
          const Place after = place_[index(consumer)];
          if (!is_forward(consumer) || !after.known() || !same_layer(op, consumer)) continue;
          if (!place.known() || after.step < place.step) place = after;
        }
      }
    }
  }

  std::vector<std::uint32_t> number_places() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> numbers;
    std::vector<std::uint32_t> label(graph_.num_ops(), kNoLabel);
    for (const OpId op : graph_.ops()) {
      const Place place = place_[index(op)];
      if (!place.known()) continue;
      const std::pair key(same_.root(place.recurrence), place.step);
      label[index(op)] = numbers.try_emplace(key, static_cast<std::uint32_t>(numbers.size())).first->second;
    }
    return label;
  }

  const Graph& graph_;
  const Layers& layers_;
  std::vector<OpId> parameters_;
  DisjointSets same_;  // of parameters
  std::vector<std::uint32_t> read_;
  std::vector<Place> place_;
};

}  // namespace

std::vector<std::uint32_t> cell_labels(const Graph& graph) {
  const std::optional<Layers> layers = find_layers(graph);
  if (!layers) return std::vector<std::uint32_t>(graph.num_ops(), kNoLabel);
  return CellFinder(graph, *layers).run();
}

}  // namespace berth::learn

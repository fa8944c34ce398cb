// SPDX-License-Identifier: Apache-2.0
#include "pipeline/layered_step.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "plan/layers/layers.h"

namespace berth::pipeline {
namespace {

// Types that add tensors, of all dialects. Sums of gradients of one weight from several layers can be made once, of
// what the layers have summed over their microbatches.
constexpr std::array<std::string_view, 6> kSums{"grad_add", "aten.add.Tensor", "Add", "AddV2", "AddN", "Sum"};

class StepFinder {
 public:
  StepFinder(const Problem& problem, Layers layers)
      : graph_(problem.graph()), problem_(problem), layers_(std::move(layers)) {}

  Result<LayeredStep> run() {
    step_.problem = &problem_;
    for (const OpId op : graph_.ops()) step_.named_by_modules = step_.named_by_modules || !graph_.module(op).empty();
    step_.block_of = layers_.of_op;
    part_passes();
    find_updates();
    find_weight_parts();
    if (std::ranges::find(step_.part_of, Part::kUpdate) == step_.part_of.end()) {
      return bad_input("'{}' updates no parameters; a pipeline takes the graph of a training step", graph_.title());
    }
    join_layers();
    find_sums();
    BERTH_RETURN_IF_ERROR(check_updates());
    return std::move(step_);
  }

 private:
  Part& part(OpId op) { return step_.part_of[index(op)]; }
  [[nodiscard]] std::uint32_t layer(OpId op) const { return layers_.of_op[index(op)]; }

  void part_passes() {
    step_.part_of.assign(graph_.num_ops(), Part::kForward);
    for (const OpId op : graph_.topological_order()) {
      if (is_resident(graph_.role(op)) || is_view_of_static(op)) {
        part(op) = Part::kStatic;
      } else if (graph_.role(op) == Role::kInput) {
        part(op) = Part::kInput;
      } else if (layers_.backward[index(op)] != 0) {
        part(op) = Part::kBackwardInput;
      }
    }
  }

  bool is_view_of_static(OpId op) {
    return graph_.role(op) == Role::kView && std::ranges::all_of(graph_.distinct_inputs(op), [&](TensorId tensor) {
             return part(graph_.producer(tensor)) == Part::kStatic;
           });
  }

  template <typename Visit>
  void for_each_reader(OpId op, const Visit& visit) const {
    for (const TensorId tensor : graph_.outputs(op)) {
      for (const OpId reader : graph_.consumers(tensor)) visit(reader);
    }
  }

  void find_updates() {
    for (const OpId op : graph_.topological_order()) {
      if (graph_.updated_parameter(op) != kNoOp) part(op) = Part::kUpdate;
      if (part(op) == Part::kUpdate) for_each_reader(op, [&](OpId reader) { part(reader) = Part::kUpdate; });
    }
    const auto order = graph_.topological_order();
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
      if (part(*at) == Part::kBackwardInput && sums_layers(*at)) part(*at) = Part::kUpdate;
    }
  }

  bool sums_layers(OpId op) {
    if (std::ranges::find(kSums, graph_.type(op)) == kSums.end()) return false;
    bool leads_to_updates = false, elsewhere = false, several = false;
    for_each_reader(op, [&](OpId reader) { (part(reader) == Part::kUpdate ? leads_to_updates : elsewhere) = true; });
    const auto inputs = graph_.distinct_inputs(op);
    for (const TensorId tensor : inputs) {
      several = several || layer(graph_.producer(tensor)) != layer(graph_.producer(inputs.front()));
    }
    return leads_to_updates && !elsewhere && several;
  }

  // Whatever leads to updates alone, and to them inside its layer, can wait.
  void find_weight_parts() {
    const auto order = graph_.topological_order();
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
      if (part(*at) != Part::kBackwardInput) continue;
      bool waits = false, read = false;
      for_each_reader(*at, [&](OpId reader) {
        read = true;
        waits = waits || (part(reader) != Part::kUpdate &&
                          (part(reader) != Part::kBackwardWeight || layer(reader) != layer(*at)));
      });
      if (read && !waits) part(*at) = Part::kBackwardWeight;
    }
  }

  void join_layers() {
    std::vector<std::uint8_t> joined_to_next(layers_.names.size(), 0);
    const auto join = [&](std::uint32_t a, std::uint32_t b) {
      for (std::uint32_t i = std::min(a, b); i < std::max(a, b); ++i) joined_to_next[i] = 1;
    };
    for (const OpId op : graph_.ops()) {
      for (const TensorId tensor : graph_.distinct_inputs(op)) {
        const OpId producer = graph_.producer(tensor);
        if (runs_against_the_pass(producer, op)) join(layer(producer), layer(op));
      }
      for (const OpId before : graph_.control_inputs(op)) {
        if (!is_free_control(before, op)) join(layer(before), layer(op));
      }
    }
    for (std::uint32_t unit = 0; unit < problem_.num_units(); ++unit) join_unit(problem_.unit_ops(unit), join);
    renumber(joined_to_next);
  }

  bool runs_against_the_pass(OpId from, OpId to) {
    const auto is_backward = [](Part p) { return p == Part::kBackwardInput || p == Part::kBackwardWeight; };
    if (part(from) == Part::kForward && part(to) == Part::kForward) return layer(from) > layer(to);
    if (is_backward(part(from)) && is_backward(part(to))) return layer(from) < layer(to);
    return part(from) == Part::kUpdate && layer(from) != layer(to);
  }

  // That updates wait for all readers of their parameter is a rule of graphs, which pipelines keep.
  bool is_free_control(OpId before, OpId after) {
    return layer(before) == layer(after) || (graph_.updated_parameter(after) != kNoOp && part(before) != Part::kUpdate);
  }

  template <typename Join>
  void join_unit(std::span<const OpId> ops, const Join& join) {
    OpId first = kNoOp;
    for (const OpId op : ops) {
      if (part(op) == Part::kInput) continue;
      if (first != kNoOp) join(layer(first), layer(op));
      first = op;
    }
  }

  void renumber(const std::vector<std::uint8_t>& joined_to_next) {
    std::vector<std::uint32_t> block(layers_.names.size());
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (i == 0 || joined_to_next[i - 1] == 0) step_.blocks.emplace_back();
      block[i] = static_cast<std::uint32_t>(step_.blocks.size()) - 1;
      step_.blocks.back().push_back(layers_.names[i]);
    }
    for (std::uint32_t& of : step_.block_of) of = block[of];
  }

  Status check_updates() {
    for (const OpId op : graph_.ops()) {
      if (part(op) != Part::kUpdate) continue;
      for (const TensorId tensor : graph_.distinct_inputs(op)) {
        if (part(graph_.producer(tensor)) != Part::kInput) continue;
        return bad_input("the update '{}' reads the input '{}', which every microbatch brings anew", graph_.name(op),
                         graph_.name(graph_.producer(tensor)));
      }
    }
    return {};
  }

  void find_sums() {
    const std::vector<std::uint8_t> kept = read_by_microbatches();
    step_.adds_up.assign(graph_.num_tensors(), 0);
    for (const TensorId tensor : graph_.tensors()) {
      const OpId maker = graph_.producer(tensor);
      if (part(maker) == Part::kStatic || part(maker) == Part::kUpdate || !read_by_updates(tensor)) continue;
      const TensorId storage = storage_in_block(tensor);
      const bool in_place = kept[index(storage)] == 0 && graph_.role(graph_.producer(storage)) == Role::kCompute;
      const bool is_new = !in_place || step_.adds_up[index(storage)] == 0;
      if (in_place) step_.adds_up[index(storage)] = 1;
      step_.sums.push_back({tensor, is_new ? graph_.bytes(in_place ? storage : tensor) : 0});
    }
  }

  bool read_by_updates(TensorId tensor) {
    return std::ranges::any_of(graph_.consumers(tensor), [&](OpId op) { return part(op) == Part::kUpdate; });
  }

  // What the tensor shows, as far as it was made in the same block.
  [[nodiscard]] TensorId storage_in_block(TensorId tensor) const {
    for (;;) {
      const OpId maker = graph_.producer(tensor);
      if (graph_.role(maker) != Role::kView) return tensor;
      const TensorId shown = graph_.inputs(maker).front();
      if (step_.block(graph_.producer(shown)) != step_.block(maker)) return tensor;
      tensor = shown;
    }
  }

  // Indexed by TensorId: whether it is needed for more than a sum, itself or as a view.
  std::vector<std::uint8_t> read_by_microbatches() {
    std::vector<std::uint8_t> read(graph_.num_tensors(), 0);
    const auto order = graph_.topological_order();
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
      if (part(*at) == Part::kUpdate) continue;
      const bool is_view = graph_.role(*at) == Role::kView;
      for (const TensorId tensor : graph_.distinct_inputs(*at)) {
        if (!is_view || step_.block(graph_.producer(tensor)) != step_.block(*at)) {
          read[index(tensor)] = 1;
        } else {
          for (const TensorId out : graph_.outputs(*at)) read[index(tensor)] |= read[index(out)];
        }
      }
    }
    return read;
  }

  const Graph& graph_;
  const Problem& problem_;
  const Layers layers_;
  LayeredStep step_;
};

}  // namespace

Result<LayeredStep> find_layered_step(const Problem& problem) {
  const Machine& machine = problem.machine();
  if (!machine.overlap()) {
    return bad_input("the devices of '{}' do not work at the same time; a pipeline needs such that do", machine.name());
  }
  std::optional<Layers> layers = find_layers(problem.graph());
  if (!layers) {
    return bad_input("'{}' names no layers, neither in module paths nor in labels of parameters, so it cannot be cut",
                     problem.graph().title());
  }
  return StepFinder(problem, std::move(*layers)).run();
}

TensorId source_of(const LayeredStep& step, TensorId tensor) {
  const Graph& graph = step.graph();
  while (graph.role(graph.producer(tensor)) == Role::kView) tensor = graph.inputs(graph.producer(tensor)).front();
  return tensor;
}

}  // namespace berth::pipeline

// SPDX-License-Identifier: Apache-2.0
#include "model/shapes/onnx/bodies.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/builder.h"
#include "model/node_info.h"
#include "model/shapes/arrange.h"
#include "model/shapes/onnx/shapes.h"
#include "model/shapes/pass.h"

namespace berth {
namespace {

using Numbers = std::vector<std::int64_t>;

constexpr std::int64_t kMostTurns = 0x7fffffff;  // beyond: "until the condition fails", written as the largest number
constexpr std::size_t kLoopOwn = 2;              // inputs of a Loop before those it carries: trip count and condition

Inferred facts_of(const Value& value) { return {value.dtype, value.shape}; }

class LoopBody {
 public:
  LoopBody(const Model& model, const Node& node) : model_(model), node_(node), body_(*node.bodies.front()) {}

  LoopWork infer(const DimSizes& symbols, const DimSizes& given) {
    for (Value& value : body_.model.values) bind_symbols(value, symbols);
    for (const Body::Captured& captured : body_.captured) {
      const Value* outside = input(captured.input);
      if (outside == nullptr) continue;
      Value& inside = body_.model.values[captured.inside];
      fill_in(inside, facts_of(*outside));
      if (outside->contents) inside.contents = outside->contents;
    }
    if (node_.type == "Scan") {
      fill_scan_inputs();
    } else {
      fill_loop_inputs();
    }
    infer_onnx_shapes(body_.model, given);
    LoopWork work;
    const auto turns = node_.type == "Scan" ? scanned_length() : trip_count();
    work.turns_known = turns.has_value();
    work.turns = turns.value_or(loop_turns(given));
    if (const Status sizes = check_sizes(body_.model); !sizes) work.overflow = sizes.error().message;
    add_work(work);
    work.outputs = node_.type == "Scan" ? scan_outputs(work.turns) : loop_outputs(work.turns);
    work.open_branches = std::move(body_.model.open_branches);
    work.open_sizes = std::move(body_.model.open_sizes);
    return work;
  }

 private:
  [[nodiscard]] const Value* input(std::size_t i) const {
    return i < node_.inputs.size() && node_.inputs[i] != kNoValue ? &model_.values[node_.inputs[i]] : nullptr;
  }
  Value& inner_input(std::size_t i) { return body_.model.values[body_.inputs[i]]; }

  void fill_loop_inputs() {
    for (std::size_t i = 0; i < body_.inputs.size(); ++i) {
      if (i == 0) fill_in(inner_input(i), {DType::kI64, Shape{}});
      if (i == 1) fill_in(inner_input(i), {DType::kBool, Shape{}});
      if (i >= kLoopOwn && input(i) != nullptr) fill_in(inner_input(i), facts_of(*input(i)));
    }
  }

  [[nodiscard]] std::size_t num_scanned() const {
    const std::int64_t stated = node_.integer("num_scan_inputs", 0);
    return static_cast<std::size_t>(
        std::clamp<std::int64_t>(stated, 0, static_cast<std::int64_t>(body_.inputs.size())));
  }
  [[nodiscard]] std::size_t num_states() const { return body_.inputs.size() - num_scanned(); }

  [[nodiscard]] std::int64_t stated_axis(std::string_view attribute, std::size_t i) const {
    const auto* axes = node_.find<Numbers>(attribute);
    return axes != nullptr && i < axes->size() ? (*axes)[i] : 0;
  }

  // The axis that input i of the node is scanned along.
  [[nodiscard]] std::optional<std::size_t> scanned_axis(std::size_t i) const {
    const Value* value = input(i);
    if (i < num_states() || value == nullptr || !value->shape) return std::nullopt;
    return axis_of(stated_axis("scan_input_axes", i - num_states()), value->shape->size());
  }

  void fill_scan_inputs() {
    for (std::size_t i = 0; i < body_.inputs.size(); ++i) {
      if (input(i) == nullptr) continue;
      Inferred facts = facts_of(*input(i));
      const auto axis = scanned_axis(i);
      if (i >= num_states() && !axis) facts.shape.reset();
      if (axis) facts.shape = without_axis(*std::move(facts.shape), *axis);
      fill_in(inner_input(i), facts);
    }
  }

  [[nodiscard]] std::optional<std::int64_t> trip_count() const {
    const Value* count = input(0);
    if (count == nullptr || !count->contents || count->contents->size() != 1) return std::nullopt;
    const std::int64_t turns = count->contents->front();
    return turns >= 0 && turns <= kMostTurns ? std::optional(turns) : std::nullopt;
  }

  [[nodiscard]] std::optional<std::int64_t> scanned_length() const {
    for (std::size_t i = num_states(); i < body_.inputs.size(); ++i) {
      const auto axis = scanned_axis(i);
      if (!axis) continue;
      const Dim& dim = (*input(i)->shape)[*axis];
      if (dim.known() && dim.size <= kMostTurns) return dim.size;
    }
    return std::nullopt;
  }

  void add_work(LoopWork& work) const {
    for (const Node& inner : body_.model.nodes) {
      const auto* nested = inner.find<double>("body_flops");
      const OpInfo info = info_of(body_.model, inner);
      work.flops += flops_of(body_.model, inner, info);
      work.bytes += nested != nullptr ? static_cast<double>(inner.integer("body_bytes", 0)) : bytes_of(inner, info);
      if (inner.integer("body_turns_known", 1) == 0) work.turns_known = false;
      const auto* overflow = inner.find<std::string>(kBodyOverflow);
      if (overflow != nullptr && work.overflow.empty()) work.overflow = fmt::format("{}: {}", inner.name, *overflow);
    }
    work.flops *= static_cast<double>(work.turns);
    work.bytes *= static_cast<double>(work.turns);
    if (work.overflow.empty() && work.bytes > static_cast<double>(kMaxTotalBytes)) {
      work.overflow = fmt::format("the bytes that its body moves in {} turns overflow", work.turns);
    }
  }

  // What a node of the body reads and writes, whole.
  [[nodiscard]] double bytes_of(const Node& node, const OpInfo& info) const {
    double bytes = 0.0;
    if (is_view(body_.model, node, info)) return bytes;
    for (const auto* values : {&node.inputs, &node.outputs}) {
      for (const ValueIndex index : *values) {
        if (index == kNoValue || !body_.model.values[index].shape) continue;
        const Value& value = body_.model.values[index];
        const double bits = bits_of(value.dtype.value_or(DType::kF32));
        bytes += static_cast<double>(num_elements(*value.shape).value_or(0)) * bits / 8.0;
      }
    }
    return bytes;
  }

  // Output i of the body: as it is after the last turn, or those of all turns along a new axis.
  [[nodiscard]] Inferred last_of(std::size_t i) const {
    return i < body_.model.outputs.size() ? facts_of(body_.model.values[body_.model.outputs[i]]) : Inferred{};
  }
  [[nodiscard]] Inferred all_of(std::size_t i, std::int64_t turns, std::int64_t stated) const {
    Inferred facts = last_of(i);
    const auto axis = facts.shape ? axis_of(stated, facts.shape->size() + 1) : std::nullopt;
    if (!axis) return {facts.dtype, std::nullopt};
    facts.shape = with_axis(*std::move(facts.shape), *axis, known_dim(turns));
    return facts;
  }

  // The body's first output is the condition.
  [[nodiscard]] Outputs loop_outputs(std::int64_t turns) const {
    const std::size_t carried = body_.inputs.size() - std::min(body_.inputs.size(), kLoopOwn);
    Outputs outputs;
    for (std::size_t i = 0; i < node_.outputs.size(); ++i)
      outputs.push_back(i < carried ? last_of(i + 1) : all_of(i + 1, turns, 0));
    return outputs;
  }

  [[nodiscard]] Outputs scan_outputs(std::int64_t turns) const {
    Outputs outputs;
    for (std::size_t i = 0; i < node_.outputs.size(); ++i) {
      const bool is_state = i < num_states();
      outputs.push_back(is_state ? last_of(i) : all_of(i, turns, stated_axis("scan_output_axes", i - num_states())));
    }
    return outputs;
  }

  const Model& model_;
  const Node& node_;
  Body body_;  // a copy, to be filled with what is known here
};

}  // namespace

bool is_loop(const Node& node) { return node.bodies.size() == 1 && (node.type == "Loop" || node.type == "Scan"); }

LoopWork infer_loop(const Model& model, const Node& node, const DimSizes& symbols, const DimSizes& given) {
  return LoopBody(model, node).infer(symbols, given);
}

}  // namespace berth

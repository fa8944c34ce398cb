// SPDX-License-Identifier: Apache-2.0
#include "model/lower.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_set>

#include "graph/builder.h"
#include "model/attribute_text.h"
#include "model/fold.h"
#include "model/node_info.h"
#include "model/quantised.h"
#include "model/shapes/shapes.h"
#include "model/sizes.h"
#include "model/updates.h"
#include "ops/traffic.h"

namespace berth {
namespace {

class Lowering {
 public:
  Lowering(Model model, const LowerOptions& options)
      : model_(std::move(model)), options_(options), builder_(model_.title) {}

  Result<Lowered> run() {
    BERTH_TRY(NamedSizes sizes, infer_shapes(model_, options_.dims));
    report_.dims = std::move(sizes.open);
    BERTH_RETURN_IF_ERROR(check_sizes(model_));
    note_open_sizes();
    note_assumed(report_.dims);
    for (const auto& [name, branch] : model_.open_branches) report_.open_branches.push_back(name);
    report_.branches_taken = model_.open_branches;
    report_.left_out = model_.left_out;
    BERTH_RETURN_IF_ERROR(note_turns());
    note_assumed(sizes.bound);
    std::ranges::move(sizes.bound, std::back_inserter(report_.dims));
    const std::vector<std::string> names = output_names();
    fold_constants(model_);
    kernel_bytes_ = fuse_quantised(model_);
    updates_ = find_updates(model_);
    find_read_values();
    producer_.assign(model_.values.size(), {kNoOp, 0});
    number_ops();
    for (const Leaf& leaf : model_.leaves) add_leaf(leaf);
    for (std::size_t i = 0; i < model_.nodes.size(); ++i) BERTH_RETURN_IF_ERROR(add_node(i));
    mark_outputs(names);
    if (model_.source_nodes > 0) builder_.set_source_counts(model_.source_nodes, model_.source_edges);
    BERTH_TRY(Graph graph, std::move(builder_).build());
    if (std::ranges::all_of(device_of_, [](const std::string& device) { return device.empty(); })) device_of_.clear();
    return Lowered{std::move(graph), std::move(report_), std::move(device_of_)};
  }

 private:
  void note_assumed(const std::vector<NamedDim>& dims) {
    for (const NamedDim& dim : dims) {
      if (dim.source == DimSource::kAssumed) report_.assumed_dims.emplace(dim.name, dim.uses);
    }
  }

  void note_open_sizes() {
    std::map<std::string, std::size_t> number_of;  // in the report
    for (const OpenSize& open : model_.open_sizes) {
      const auto [place, is_new] = number_of.emplace(open.name, report_.dims.size());
      const bool is_given = options_.dims.contains(open.name);
      if (is_new) {
        report_.dims.push_back({.name = open.name,
                                .size = open.size,
                                .source = is_given ? DimSource::kUser : DimSource::kAssumed,
                                .where = open.where});
      }
      ++report_.dims[place->second].uses;
    }
  }

  Status note_turns() {
    const bool is_given = options_.dims.contains(std::string(kLoopTurns));
    const std::vector<std::string>& open = model_.open_loops;
    if (open.empty() && is_given) return bad_input("no loop of the model is open, so '{}' sets nothing", kLoopTurns);
    if (open.empty()) return {};
    report_.dims.push_back({.name = std::string(kLoopTurns),
                            .size = loop_turns(options_.dims),
                            .source = is_given ? DimSource::kUser : DimSource::kAssumed,
                            .uses = open.size(),
                            .where = open.front()});
    if (!is_given) report_.open_loops = open;
    return {};
  }

  // Leaves, then nodes: ids are needed before the ops they name are added.
  void number_ops() {
    std::size_t next = 0;
    for (const Leaf& leaf : model_.leaves) producer_[leaf.value] = {OpId(next++), 0};
    for (const Node& node : model_.nodes) {
      int output = 0;
      for (const ValueIndex value : node.outputs) {
        if (value != kNoValue) producer_[value] = {OpId(next), output++};
      }
      ++next;
    }
  }

  // Before folding, which replaces other names of a tensor.
  [[nodiscard]] std::vector<std::string> output_names() const {
    std::vector<std::string> names;
    for (const ValueIndex output : model_.outputs) names.push_back(model_.values[output].name);
    return names;
  }

  void mark_outputs(const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < model_.outputs.size(); ++i) {
      const OutputRef made = producer_[model_.outputs[i]];
      if (made.op == kNoOp) continue;
      builder_.mark_output(made);
      report_.outputs.push_back({names[i], made});
    }
  }

  void find_read_values() {
    is_read_.assign(model_.values.size(), false);
    for (const Node& node : model_.nodes) {
      for (const ValueIndex input : node.inputs) {
        if (input != kNoValue) is_read_[input] = true;
      }
    }
    for (const ValueIndex output : model_.outputs) is_read_[output] = true;
  }

  void add_leaf(const Leaf& leaf) {
    const Value& value = model_.values[leaf.value];
    const std::string name = unique_name(value.name, "value");
    builder_.add({.name = name,
                  .type = name_of(leaf.role),
                  .role = leaf.role,
                  .outputs = {tensor_of(value)},
                  .label = leaf.label,
                  .colocate = leaf.colocate});
    device_of_.push_back(leaf.device);
  }

  Status add_node(std::size_t i) {
    const Node& node = model_.nodes[i];
    const std::string name = unique_name(node.name, node.type), attributes = attribute_text(node.attributes);
    OpSpec spec;
    spec.name = name;
    spec.type = node.type;
    spec.module = node.module;
    spec.label = node.label;
    spec.attributes = attributes;
    spec.colocate = node.colocate;
    if (updates_[i] != kNoValue) spec.updates = producer_[updates_[i]].op;
    BERTH_RETURN_IF_ERROR(connect(node, spec));
    const OpInfo info = info_of(model_, node);
    spec.role = is_view(model_, node, info) ? Role::kView : Role::kCompute;
    if (spec.role == Role::kCompute) {
      BERTH_RETURN_IF_ERROR(set_costs(i, info, spec));
      if (!find_op(node.type)) ++report_.unknown_types[node.type];
    }
    builder_.add(spec);
    device_of_.push_back(node.device);
    if (builder_.early_error()) return *builder_.early_error();
    return {};
  }

  Status connect(const Node& node, OpSpec& spec) {
    for (const ValueIndex input : node.inputs) {
      if (input == kNoValue) continue;
      if (producer_[input].op == kNoOp) return bad_input("node '{}' reads a value that nothing makes", spec.name);
      spec.inputs.push_back(producer_[input]);
    }
    for (const std::uint32_t before : node.control) spec.control_inputs.push_back(OpId(model_.leaves.size() + before));
    const auto is_wanted = [&](ValueIndex output) { return output != kNoValue && is_read_[output]; };
    // An update gives its variable back, which is no new tensor unless somebody wants it.
    if (spec.updates != kNoOp && std::ranges::none_of(node.outputs, is_wanted)) return {};
    for (const ValueIndex output : node.outputs) {
      if (output != kNoValue) spec.outputs.push_back(tensor_of(model_.values[output]));
    }
    return {};
  }

  Status set_costs(std::size_t i, const OpInfo& info, OpSpec& spec) {
    const Node& node = model_.nodes[i];
    if (const auto* inside = node.find<std::string>(kBodyOverflow))
      return bad_input("node '{}': {}", spec.name, *inside);
    const auto turns = std::max<std::int64_t>(node.integer("_trip_count", 1), 1);
    spec.flops = flops_of(model_, node, info) * static_cast<double>(turns);
    spec.bytes_touched = kernel_bytes_[i] >= 0 ? kernel_bytes_[i] : bytes_of(node, info, spec.outputs);
    if (info.flops.formula == Formula::kBody) {
      spec.bytes_touched = std::max<Bytes>(node.integer("body_bytes", spec.bytes_touched), -1);
    }
    if (turns == 1 && spec.bytes_touched < 0) return {};
    if (spec.bytes_touched < 0) spec.bytes_touched = all_bytes(node, spec.outputs);
    if (spec.bytes_touched > kMaxTotalBytes / turns) {
      return bad_input("node '{}': the bytes that it moves in all its turns overflow; at most {} are counted",
                       spec.name, format_bytes(kMaxTotalBytes));
    }
    spec.bytes_touched *= turns;
    return {};
  }

  // -1: all of them, as a graph assumes. An input that is left out keeps its place.
  [[nodiscard]] Bytes bytes_of(const Node& node, const OpInfo& info, const std::vector<TensorSpec>& outputs) const {
    if (info.traffic.reads == Reads::kAll) return -1;
    std::vector<Bytes> inputs;
    for (const ValueIndex input : node.inputs) inputs.push_back(bytes_of_value(input));
    return bytes_touched(info.traffic, inputs, sum_of(outputs));
  }

  [[nodiscard]] Bytes all_bytes(const Node& node, const std::vector<TensorSpec>& outputs) const {
    Bytes sum = sum_of(outputs);
    for (const ValueIndex input : std::set<ValueIndex>(node.inputs.begin(), node.inputs.end())) {
      sum = clamped_sum(sum, bytes_of_value(input));
    }
    return sum;
  }

  [[nodiscard]] Bytes bytes_of_value(ValueIndex at) const {
    return at != kNoValue ? value_bytes(model_.values[at]) : 0;
  }

  static Bytes sum_of(const std::vector<TensorSpec>& tensors) {
    Bytes sum = 0;
    for (const TensorSpec& tensor : tensors) sum = clamped_sum(sum, std::max<Bytes>(tensor_bytes(tensor), 0));
    return sum;
  }

  TensorSpec tensor_of(const Value& value) {
    TensorSpec tensor{value.dtype.value_or(DType::kF32), {}};
    if (!value.shape || !num_elements(*value.shape)) {
      report_.unknown_shapes.push_back(value.name);
      tensor.shape = {0};
      return tensor;
    }
    for (const Dim& dim : *value.shape) tensor.shape.push_back(dim.size);
    return tensor;
  }

  std::string unique_name(const std::string& wanted, const std::string& otherwise) {
    std::string name =
        !wanted.empty() ? wanted.substr(0, kMaxNameLength - 24) : otherwise.substr(0, kMaxNameLength - 24);
    if (names_.insert(name).second) return name;
    std::string numbered;
    do {
      numbered = fmt::format("{}_{}", name, ++next_suffix_);
    } while (!names_.insert(numbered).second);
    return numbered;
  }

  Model model_;
  const LowerOptions& options_;
  GraphBuilder builder_;
  LowerReport report_;
  std::vector<OutputRef> producer_;  // per value
  std::vector<bool> is_read_;        // per value: by a node, or as an output of the model
  std::vector<ValueIndex> updates_;  // per node: the parameter it updates
  std::vector<Bytes> kernel_bytes_;  // per node: what it moves as a quantised kernel, else -1
  std::vector<std::string> device_of_;
  std::unordered_set<std::string> names_;
  std::uint64_t next_suffix_ = 0;
};

}  // namespace

Result<Lowered> lower(Model model, const LowerOptions& options) { return Lowering(std::move(model), options).run(); }

}  // namespace berth

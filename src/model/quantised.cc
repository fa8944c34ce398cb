// SPDX-License-Identifier: Apache-2.0
#include "model/quantised.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "base/disjoint_sets.h"
#include "model/node_info.h"
#include "model/sizes.h"
#include "ops/traffic.h"

namespace berth {
namespace {

constexpr std::uint32_t kNoNode = 0xffffffffU;
constexpr int kNarrow = 8;  // bits

// An op that runtimes have an integer kernel for, and which of its inputs must be dequantised.
struct Kernel {
  std::string_view type;
  std::size_t first = 0, count = 1;  // 0: all
  bool may_put_out_floats = false;   // and may have a weight alone that is dequantised
};
constexpr std::array kKernels{
    Kernel{"Conv", 0, 2},
    Kernel{"ConvTranspose", 0, 2},
    Kernel{"MatMul", 0, 2, true},
    Kernel{"Gemm", 0, 2, true},
    Kernel{"Add", 0, 2},
    Kernel{"Mul", 0, 2},
    Kernel{"Concat", 0, 0},
    Kernel{"Where", 1, 2},
    Kernel{"AveragePool"},
    Kernel{"GlobalAveragePool"},
    Kernel{"MaxPool"},
    Kernel{"LeakyRelu"},
    Kernel{"Sigmoid"},
    Kernel{"Softmax"},
    Kernel{"Relu"},
    Kernel{"Clip"},
    Kernel{"Reshape"},
    Kernel{"Flatten"},
    Kernel{"Squeeze"},
    Kernel{"Unsqueeze"},
    Kernel{"Transpose"},
    Kernel{"Slice"},
    Kernel{"Gather"},
    Kernel{"Expand"},
    Kernel{"Tile"},
    Kernel{"Resize"},
    Kernel{"Split"},
};

// Types as ONNX Runtime writes them too.
std::string_view plain_type(const Node& node) {
  constexpr std::string_view kMicrosoft = "com.microsoft.";
  std::string_view type = node.type;
  if (type.starts_with(kMicrosoft)) type.remove_prefix(kMicrosoft.size());
  return type;
}
bool is_quantising(const Node& node) { return plain_type(node) == "QuantizeLinear"; }
bool is_dequantising(const Node& node) { return plain_type(node) == "DequantizeLinear"; }
bool is_clamp(const Node& node) { return node.type == "Relu" || node.type == "Clip"; }
bool only_moves(const Node& node) { return node.type == "Transpose" || node.type == "Reshape"; }

// An op that runs as one kernel with the nodes around it.
struct Pattern {
  std::uint32_t node = kNoNode;
  bool is_integer = true;                   // else only its weights are narrow
  std::vector<std::uint32_t> closing = {};  // QuantizeLinear behind its outputs
};

class Fuser {
 public:
  explicit Fuser(Model& model)
      : model_(model),
        maker_(model.values.size(), kNoNode),
        readers_(model.values.size()),
        is_output_(model.values.size(), false),
        is_constant_(model.values.size(), false),
        pattern_of_(model.nodes.size(), kNoNode),
        together_(model.nodes.size()) {}

  std::vector<Bytes> run() {
    index_values();
    for (std::uint32_t i = 0; i < model_.nodes.size(); ++i) {
      const auto kernel = std::ranges::find(kKernels, std::string_view(model_.nodes[i].type), &Kernel::type);
      if (kernel != kKernels.end()) find_pattern(i, *kernel);
    }
    for (std::uint32_t i = 0; i < model_.nodes.size(); ++i) {
      if (is_dequantising(model_.nodes[i])) fold_dequantising(i);
    }
    name_groups();
    std::vector<Bytes> touched(model_.nodes.size(), -1);
    for (const Pattern& pattern : patterns_) touched[pattern.node] = bytes_of(pattern);
    return touched;
  }

 private:
  void index_values() {
    for (const Leaf& leaf : model_.leaves) is_constant_[leaf.value] = leaf.role != Role::kInput;
    for (const ValueIndex output : model_.outputs) is_output_[output] = true;
    for (std::uint32_t i = 0; i < model_.nodes.size(); ++i) {
      const Node& node = model_.nodes[i];
      for (const ValueIndex output : node.outputs) {
        if (output != kNoValue) maker_[output] = i;
      }
      for (const ValueIndex input : std::set<ValueIndex>(node.inputs.begin(), node.inputs.end())) {
        if (input != kNoValue) readers_[input].push_back(i);
      }
    }
  }

  [[nodiscard]] ValueIndex input(const Node& node, std::size_t i) const {
    return i < node.inputs.size() ? node.inputs[i] : kNoValue;
  }
  [[nodiscard]] const Node* maker(ValueIndex value) const {
    return value != kNoValue && maker_[value] != kNoNode ? &model_.nodes[maker_[value]] : nullptr;
  }
  // The one node that reads it.
  [[nodiscard]] std::uint32_t only_reader(ValueIndex value) const {
    return value != kNoValue && !is_output_[value] && readers_[value].size() == 1 ? readers_[value][0] : kNoNode;
  }
  [[nodiscard]] bool is_narrow(ValueIndex value) const {
    const auto dtype = value != kNoValue ? model_.values[value].dtype : std::nullopt;
    return dtype && bits_of(*dtype) <= kNarrow && *dtype != DType::kBool;
  }

  // The DequantizeLinear that an input comes from; between it and a constant weight's reader, there may be a Transpose.
  [[nodiscard]] const Node* dequantising(ValueIndex value) const {
    const Node* made_by = maker(value);
    if (made_by != nullptr && only_moves(*made_by) && only_reader(value) != kNoNode) {
      made_by = maker(input(*made_by, 0));
      if (made_by == nullptr || !is_dequantised_constant(*made_by)) return nullptr;
    }
    return made_by != nullptr && is_dequantising(*made_by) ? made_by : nullptr;
  }
  [[nodiscard]] bool is_dequantised_constant(const Node& node) const {
    return is_dequantising(node) && input(node, 0) != kNoValue && is_constant_[input(node, 0)];
  }
  [[nodiscard]] bool is_dequantised(ValueIndex value) const {
    const Node* source = dequantising(value);
    return source != nullptr && is_narrow(input(*source, 0));
  }

  void find_pattern(std::uint32_t i, const Kernel& kernel) {
    const Node& node = model_.nodes[i];
    const std::size_t count = kernel.count > 0 ? kernel.count : node.inputs.size();
    bool all_narrow = count > 0;
    for (std::size_t k = kernel.first; k < kernel.first + count; ++k) {
      all_narrow = all_narrow && is_dequantised(input(node, k));
    }
    if (all_narrow) {
      Pattern pattern{.node = i};
      if (close(pattern) || kernel.may_put_out_floats) keep(std::move(pattern));
      return;
    }
    const ValueIndex weight = input(node, 1);
    if (!kernel.may_put_out_floats || !is_dequantised(weight)) return;
    if (is_dequantised_constant(*dequantising(weight))) keep({.node = i, .is_integer = false});
  }

  void keep(Pattern pattern) {
    pattern_of_[pattern.node] = static_cast<std::uint32_t>(patterns_.size());
    patterns_.push_back(std::move(pattern));
  }

  // Whether every output goes into a QuantizeLinear and nowhere else. Then what is between has the type behind it.
  bool close(Pattern& pattern) {
    std::vector<std::pair<std::vector<std::uint32_t>, DType>> ways;
    for (const ValueIndex output : model_.nodes[pattern.node].outputs) {
      if (output == kNoValue) continue;
      std::vector<std::uint32_t> way = way_to_quantising(output);
      if (way.empty()) return false;
      pattern.closing.push_back(way.back());
      ways.emplace_back(std::move(way), *model_.values[model_.nodes[pattern.closing.back()].outputs[0]].dtype);
    }
    for (const auto& [way, dtype] : ways) {
      for (const std::uint32_t at : way) {
        Node& node = model_.nodes[at];
        model_.values[node.inputs[0]].dtype = dtype;
        if (is_clamp(node)) mark_as_part(node);
        together_.unite(pattern.node, at);
      }
    }
    return !ways.empty();
  }

  // Nodes from the value to the QuantizeLinear that alone reads it, perhaps clamped before; none if there is no such.
  [[nodiscard]] std::vector<std::uint32_t> way_to_quantising(ValueIndex value) const {
    std::vector<std::uint32_t> way;
    for (std::uint32_t at = only_reader(value); at != kNoNode; at = only_reader(value)) {
      const Node& node = model_.nodes[at];
      if (input(node, 0) != value || node.outputs.size() != 1 || node.outputs[0] == kNoValue) return {};
      way.push_back(at);
      if (is_quantising(node)) return is_narrow(node.outputs[0]) ? way : std::vector<std::uint32_t>();
      if (!is_clamp(node)) return {};
      value = node.outputs[0];
    }
    return {};
  }

  static void mark_as_part(Node& node) { node.attributes.emplace_back(kPartOfKernel, std::int64_t{1}); }

  // Whether the node runs as a kernel that takes the value as it was before it was dequantised.
  [[nodiscard]] bool takes(std::uint32_t node, ValueIndex value) const {
    if (pattern_of_[node] == kNoNode) return false;
    return patterns_[pattern_of_[node]].is_integer || value != input(model_.nodes[node], 0);
  }
  // The same for what a Transpose makes of it.
  [[nodiscard]] bool moves_to_kernel(std::uint32_t at) const {
    const Node& node = model_.nodes[at];
    if (!only_moves(node) || node.outputs.size() != 1) return false;
    const std::uint32_t reader = only_reader(node.outputs[0]);
    return reader != kNoNode && takes(reader, node.outputs[0]) && dequantising(node.outputs[0]) != nullptr;
  }

  void fold_dequantising(std::uint32_t at) {
    const Node& node = model_.nodes[at];
    const ValueIndex value = node.outputs.size() == 1 ? node.outputs[0] : kNoValue;
    if (value == kNoValue || input(node, 0) == kNoValue || is_output_[value] || readers_[value].empty()) return;
    const auto absorbs = [&](std::uint32_t reader) { return takes(reader, value) || moves_to_kernel(reader); };
    if (!std::ranges::all_of(readers_[value], absorbs)) return;
    const auto dtype = model_.values[input(node, 0)].dtype;
    model_.values[value].dtype = dtype;
    for (const std::uint32_t reader : readers_[value]) {
      together_.unite(at, reader);
      if (takes(reader, value)) continue;
      const ValueIndex moved = model_.nodes[reader].outputs[0];
      model_.values[moved].dtype = dtype;
      mark_as_part(model_.nodes[reader]);
      together_.unite(at, only_reader(moved));
    }
  }

  // What the kernel reads and writes, scales and zero points too; -1 where it does not read its inputs whole.
  [[nodiscard]] Bytes bytes_of(const Pattern& pattern) const {
    const Node& node = model_.nodes[pattern.node];
    if (info_of(model_, node).traffic.reads != Reads::kAll) return -1;
    std::set<ValueIndex> moved(node.outputs.begin(), node.outputs.end());
    for (const ValueIndex value : node.inputs) {
      const Node* source = value != kNoValue && takes(pattern.node, value) ? dequantising(value) : nullptr;
      if (source == nullptr) {
        moved.insert(value);
      } else {
        moved.insert(source->inputs.begin(), source->inputs.end());
      }
    }
    for (const std::uint32_t closing : pattern.closing) {
      const std::vector<ValueIndex>& inputs = model_.nodes[closing].inputs;
      moved.insert(inputs.begin() + 1, inputs.end());
    }
    Bytes sum = 0;
    for (const ValueIndex value : moved) {
      if (value != kNoValue) sum = clamped_sum(sum, value_bytes(model_.values[value]));
    }
    return sum;
  }

  void name_groups() {
    std::vector<std::size_t> members(model_.nodes.size(), 0);
    std::vector<std::string> group(model_.nodes.size());
    for (std::uint32_t i = 0; i < model_.nodes.size(); ++i) {
      const std::uint32_t root = together_.root(i);
      ++members[root];
      if (group[root].empty()) group[root] = model_.nodes[i].colocate;
    }
    for (std::uint32_t i = 0; i < model_.nodes.size(); ++i) {
      Node& node = model_.nodes[i];
      const std::uint32_t root = together_.root(i);
      if (members[root] < 2 || !node.colocate.empty()) continue;
      node.colocate = !group[root].empty() ? group[root] : fmt::format("quantised:{}", root);
    }
  }

  Model& model_;
  std::vector<std::uint32_t> maker_;                 // per value: the node that makes it
  std::vector<std::vector<std::uint32_t>> readers_;  // per value, each once
  std::vector<bool> is_output_, is_constant_;        // per value
  std::vector<Pattern> patterns_;
  std::vector<std::uint32_t> pattern_of_;  // per node: in patterns_
  DisjointSets together_;                  // nodes that share a device
};

}  // namespace

std::vector<Bytes> fuse_quantised(Model& model) {
  const bool has_patterns = model.dialect == Dialect::kOnnx && std::ranges::any_of(model.nodes, is_dequantising);
  return has_patterns ? Fuser(model).run() : std::vector<Bytes>(model.nodes.size(), -1);
}

}  // namespace berth

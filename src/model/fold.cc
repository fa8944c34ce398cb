// SPDX-License-Identifier: Apache-2.0
#include "model/fold.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "cost/op_class.h"
#include "model/order.h"
#include "model/sizes.h"

namespace berth {
namespace {

bool is_floating(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kF16 || dtype == DType::kBF16 || dtype == DType::kF64;
}

class Folder {
 public:
  explicit Folder(Model& model)
      : model_(model),
        role_(model.values.size()),
        label_(model.values.size()),
        weight_(model.values.size(), kNoValue) {}

  void run() {
    for (const Leaf& leaf : model_.leaves) {
      if (leaf.role == Role::kInput) continue;
      role_[leaf.value] = leaf.role;
      label_[leaf.value] = leaf.label;
      if (!leaf.label.empty()) weight_[leaf.value] = leaf.value;
    }
    is_folded_.assign(model_.nodes.size(), false);
    for (const std::uint32_t node : topological_order(model_)) try_fold(node);
    remove_folded();
    drop_unread_leaves();
    label_weights();
  }

 private:
  void try_fold(std::size_t i) {
    const Node& node = model_.nodes[i];
    if (node.outputs.empty() || !node.control.empty() || class_of_type(node.type) == CostClass::kRandom) return;
    if (!has_known_contents(node) && !depends_on_constants(node)) return;
    for (const ValueIndex output : node.outputs) {
      if (output == kNoValue) continue;
      role_[output] = role_of(node, model_.values[output]);
      if (*role_[output] == Role::kParameter) weight_[output] = weight_behind(node, output);
      model_.leaves.push_back({output, *role_[output], {}, node.device});
    }
    is_folded_[i] = true;
  }

  [[nodiscard]] bool has_known_contents(const Node& node) const {
    return std::ranges::all_of(node.outputs,
                               [&](ValueIndex output) { return output == kNoValue || model_.values[output].contents; });
  }

  [[nodiscard]] bool depends_on_constants(const Node& node) const {
    bool has_input = false;
    for (const ValueIndex input : node.inputs) {
      if (input == kNoValue) continue;
      if (!role_[input]) return false;
      has_input = true;
    }
    return has_input;
  }

  // A weight by another shape or type is a weight; so are large numbers that stand in for weights (ConstantOfShape).
  [[nodiscard]] Role role_of(const Node& node, const Value& made) const {
    if (made.contents) return Role::kConstant;
    for (const ValueIndex input : node.inputs) {
      if (input != kNoValue && role_[input] == Role::kParameter) return Role::kParameter;
    }
    const auto count = made.shape ? num_elements(*made.shape) : std::nullopt;
    const bool is_weight =
        node.type == "ConstantOfShape" && count && *count > 1 && made.dtype && is_floating(*made.dtype);
    return is_weight ? Role::kParameter : Role::kConstant;
  }

  // The weight it was made from, whose label it has; itself if that has none.
  [[nodiscard]] ValueIndex weight_behind(const Node& node, ValueIndex made) const {
    const ValueIndex first = node.inputs.empty() ? kNoValue : node.inputs.front();
    return first != kNoValue && weight_[first] != kNoValue ? weight_[first] : made;
  }

  // Only now, since long chains of casts and transposes are gone, and one weight's label may be as long as the file.
  void label_weights() {
    for (Leaf& leaf : model_.leaves) {
      const ValueIndex weight = weight_[leaf.value];
      if (weight == kNoValue || !leaf.label.empty()) continue;
      leaf.label = label_[weight].empty() ? model_.values[weight].name : label_[weight];
    }
  }

  void remove_folded() {
    constexpr std::uint32_t kGone = 0xffffffffU;
    std::vector<std::uint32_t> number(model_.nodes.size(), kGone);
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < model_.nodes.size(); ++i) {
      if (!is_folded_[i]) number[i] = next++;
    }
    std::vector<Node> kept;
    for (std::size_t i = 0; i < model_.nodes.size(); ++i) {
      if (is_folded_[i]) continue;
      Node& node = model_.nodes[i];
      std::vector<std::uint32_t> control;
      for (const std::uint32_t before : node.control) {
        if (before < number.size() && number[before] != kGone) control.push_back(number[before]);
      }
      node.control = std::move(control);
      kept.push_back(std::move(node));
    }
    model_.nodes = std::move(kept);
  }

  void drop_unread_leaves() {
    std::vector<bool> is_read(model_.values.size(), false);
    for (const Node& node : model_.nodes) {
      for (const ValueIndex input : node.inputs) {
        if (input != kNoValue) is_read[input] = true;
      }
    }
    for (const ValueIndex output : model_.outputs) is_read[output] = true;
    std::erase_if(model_.leaves, [&](const Leaf& leaf) { return leaf.role != Role::kInput && !is_read[leaf.value]; });
  }

  Model& model_;
  std::vector<std::optional<Role>> role_;  // per value: what it is, if it is there from the start
  std::vector<std::string> label_;         // per value, as the file has it
  std::vector<ValueIndex> weight_;         // per value: the one it has its label from, if it has one
  std::vector<bool> is_folded_;
};

}  // namespace

void fold_constants(Model& model) { Folder(model).run(); }

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include "model/fold.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>

#include "cost/op_class.h"
#include "model/dtype_kinds.h"
#include "model/flops.h"
#include "model/order.h"
#include "model/sizes.h"

namespace berth {
namespace {

class Folder {
 public:
  explicit Folder(Model& model) : model_(model), role_(model.values.size()), label_(model.values.size()) {}

  void run() {
    for (const Leaf& leaf : model_.leaves) {
      if (leaf.role == Role::kInput) continue;
      role_[leaf.value] = leaf.role;
      label_[leaf.value] = leaf.label;
    }
    is_folded_.assign(model_.nodes.size(), false);
    const std::vector<std::uint32_t> order = topological_order(model_);
    for (const std::uint32_t node : order) try_fold(node);
    share_weights(order);
    remove_folded();
    drop_unread_leaves();
  }

 private:
  void try_fold(std::size_t i) {
    const Node& node = model_.nodes[i];
    if (node.outputs.empty() || !node.control.empty() || class_of_type(node.type) == CostClass::kRandom) return;
    if (!has_known_contents(node) && !depends_on_constants(node)) return;
    for (const ValueIndex output : node.outputs) {
      if (output == kNoValue) continue;
      role_[output] = role_of(node, model_.values[output]);
      if (*role_[output] == Role::kParameter) label_[output] = label_of(node, output);
      model_.leaves.push_back({output, *role_[output], label_[output], node.device});
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

  // That of the weight it was made from.
  [[nodiscard]] std::string label_of(const Node& node, ValueIndex made) const {
    const ValueIndex first = node.inputs.empty() ? kNoValue : node.inputs.front();
    return first != kNoValue && !label_[first].empty() ? label_[first] : model_.values[made].name;
  }

  // A weight that is read as it is and by another layout (an embedding that is also, transposed, the last layer) is in
  // memory once: the nodes in between stay, as views.
  void share_weights(const std::vector<std::uint32_t>& order) {
    std::vector<ValueIndex> root(model_.values.size());
    std::iota(root.begin(), root.end(), ValueIndex{0});
    for (const std::uint32_t i : order) {
      const Node& node = model_.nodes[i];
      if (is_folded_[i] && only_changes_layout(node)) root[node.outputs.front()] = root[node.inputs.front()];
    }
    std::vector<bool> is_read = values_read(), is_made(model_.values.size(), false);
    std::vector<std::uint32_t> layouts(model_.values.size(), 0);  // per weight: in how many it is read
    for (std::size_t value = 0; value < root.size(); ++value) layouts[root[value]] += is_read[value] ? 1 : 0;
    for (std::size_t at = order.size(); at-- > 0;) {
      Node& node = model_.nodes[order[at]];
      if (!is_folded_[order[at]] || !only_changes_layout(node)) continue;
      const ValueIndex made = node.outputs.front();
      if (!is_read[made] || layouts[root[made]] < 2) continue;
      is_folded_[order[at]] = false;
      node.is_view = true;
      is_made[made] = true;
      for (const ValueIndex input : node.inputs) {
        if (input != kNoValue) is_read[input] = true;
      }
    }
    std::erase_if(model_.leaves, [&](const Leaf& leaf) { return is_made[leaf.value]; });
  }

  [[nodiscard]] bool only_changes_layout(const Node& node) const {
    if (node.inputs.empty() || node.outputs.size() != 1) return false;
    const ValueIndex from = node.inputs.front(), to = node.outputs.front();
    if (from == kNoValue || to == kNoValue || role_[from] != Role::kParameter) return false;
    if (node.type != "Transpose" && !is_view_type(model_.dialect, node)) return false;
    const Value &before = model_.values[from], &after = model_.values[to];
    const auto count = before.shape ? num_elements(*before.shape) : std::nullopt;
    return count && after.shape && count == num_elements(*after.shape) && before.dtype == after.dtype;
  }

  [[nodiscard]] std::vector<bool> values_read() const {
    std::vector<bool> is_read(model_.values.size(), false);
    for (std::size_t i = 0; i < model_.nodes.size(); ++i) {
      for (const ValueIndex input : model_.nodes[i].inputs) {
        if (!is_folded_[i] && input != kNoValue) is_read[input] = true;
      }
    }
    for (const ValueIndex output : model_.outputs) is_read[output] = true;
    return is_read;
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
    is_folded_.assign(model_.nodes.size(), false);
  }

  void drop_unread_leaves() {
    const std::vector<bool> is_read = values_read();
    std::erase_if(model_.leaves, [&](const Leaf& leaf) { return leaf.role != Role::kInput && !is_read[leaf.value]; });
  }

  Model& model_;
  std::vector<std::optional<Role>> role_;  // per value: what it is, if it is there from the start
  std::vector<std::string> label_;         // per value, of parameters
  std::vector<bool> is_folded_;
};

}  // namespace

void fold_constants(Model& model) { Folder(model).run(); }

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include "model/shared_weights.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "model/order.h"
#include "model/sizes.h"

namespace berth {
namespace {

// Of all frameworks; ATen's without their prefix and overload.
constexpr std::array<std::string_view, 13> kLayoutTypes{"Transpose", "Reshape",    "Flatten", "Squeeze",   "Unsqueeze",
                                                        "Identity",  "ExpandDims", "t",       "transpose", "permute",
                                                        "view",      "unsqueeze",  "squeeze"};

// "aten.permute.default" -> "permute"
std::string_view short_type(std::string_view type) {
  constexpr std::string_view kAten = "aten.";
  if (!type.starts_with(kAten)) return type;
  type.remove_prefix(kAten.size());
  return type.substr(0, type.find('.'));
}

class Sharing {
 public:
  explicit Sharing(Model& model) : model_(model), weight_(model.values.size(), kNoValue) {}

  void run() {
    for (const Leaf& leaf : model_.leaves) {
      if (leaf.role == Role::kParameter) weight_[leaf.value] = leaf.value;
    }
    const std::vector<std::uint32_t> order = topological_order(model_);
    for (const std::uint32_t i : order) {
      const Node& node = model_.nodes[i];
      if (only_changes_layout(node)) weight_[node.outputs.front()] = weight_[node.inputs.front()];
    }
    count_layouts();
    for (std::size_t at = order.size(); at-- > 0;) mark(model_.nodes[order[at]]);
  }

 private:
  [[nodiscard]] bool only_changes_layout(const Node& node) const {
    if (node.inputs.empty() || node.outputs.size() != 1 || !node.control.empty()) return false;
    const ValueIndex from = node.inputs.front(), to = node.outputs.front();
    if (from == kNoValue || to == kNoValue || weight_[from] == kNoValue) return false;
    if (std::ranges::find(kLayoutTypes, short_type(node.type)) == kLayoutTypes.end()) return false;
    const Value &before = model_.values[from], &after = model_.values[to];
    const auto count = before.shape ? num_elements(*before.shape) : std::nullopt;
    return count && after.shape && count == num_elements(*after.shape) && before.dtype == after.dtype;
  }

  // In how many layouts each weight is read by nodes that do more than change the layout.
  void count_layouts() {
    is_read_.assign(model_.values.size(), false);
    for (const Node& node : model_.nodes) {
      if (only_changes_layout(node)) continue;
      for (const ValueIndex input : node.inputs) {
        if (input != kNoValue) is_read_[input] = true;
      }
    }
    for (const ValueIndex output : model_.outputs) is_read_[output] = true;
    layouts_.assign(model_.values.size(), 0);
    for (std::size_t value = 0; value < is_read_.size(); ++value) {
      if (is_read_[value] && weight_[value] != kNoValue) ++layouts_[weight_[value]];
    }
  }

  // Last nodes first, so that those in between are seen as read.
  void mark(Node& node) {
    if (!only_changes_layout(node)) return;
    const ValueIndex from = node.inputs.front(), to = node.outputs.front();
    if (!is_read_[to] || layouts_[weight_[to]] < 2) return;
    node.is_view = true;
    is_read_[from] = true;
  }

  Model& model_;
  std::vector<ValueIndex> weight_;  // per value: the weight that it is a layout of
  std::vector<bool> is_read_;       // per value
  std::vector<std::uint32_t> layouts_;
};

}  // namespace

void share_weights(Model& model) { Sharing(model).run(); }

}  // namespace berth

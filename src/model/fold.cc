// SPDX-License-Identifier: Apache-2.0
#include "model/fold.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "graph/builder.h"
#include "model/model.h"
#include "model/node_info.h"
#include "model/sizes.h"
#include "ops/traffic.h"

namespace berth {
namespace {

class Folder {
 public:
  explicit Folder(Model& model)
      : model_(model),
        role_(model.values.size()),
        label_(model.values.size()),
        namesake_(model.values.size(), kNoValue),
        origin_(model.values.size()) {
    for (std::size_t i = 0; i < origin_.size(); ++i) origin_[i] = static_cast<ValueIndex>(i);
    same_as_ = weight_ = origin_;
    stored_as_.resize(model.values.size());
  }

  void run() {
    for (const Leaf& leaf : model_.leaves) {
      if (leaf.role == Role::kInput) continue;
      role_[leaf.value] = leaf.role;
      label_[leaf.value] = leaf.label;
      if (!leaf.label.empty()) namesake_[leaf.value] = leaf.value;
    }
    is_folded_.assign(model_.nodes.size(), false);
    const std::vector<std::uint32_t> order = topological_order(model_);
    find_written(order);
    for (const std::uint32_t node : order) try_fold(node);
    remove_folded();
    replace_names();
    restore_types();
    drop_unread_leaves();
    label_weights();
    count_weights_once();
  }

 private:
  // Values that some node writes, directly or through views: an update of several variables writes all of them.
  void find_written(const std::vector<std::uint32_t>& order) {
    is_written_.assign(model_.values.size(), false);
    for (const std::uint32_t at : order) {
      const Node& node = model_.nodes[at];
      const OpInfo info = info_of(model_, node);
      const bool writes = info.effect == Effect::kInPlace || info.effect == Effect::kUpdate;
      const std::size_t count = info.effect == Effect::kUpdate ? node.inputs.size() : std::size_t{writes ? 1U : 0U};
      for (std::size_t i = 0; i < std::min(count, node.inputs.size()); ++i) {
        if (node.inputs[i] != kNoValue) is_written_[origin_[node.inputs[i]]] = true;
      }
      if (!writes && !is_view(model_, node, info)) continue;
      if (node.inputs.empty() || node.inputs[0] == kNoValue) continue;
      for (const ValueIndex output : node.outputs) {
        if (output != kNoValue) origin_[output] = origin_[node.inputs[0]];
      }
    }
  }

  void try_fold(std::size_t i) {
    const Node& node = model_.nodes[i];
    const OpInfo info = info_of(model_, node);
    if (node.outputs.empty() || !node.control.empty() || !may_fold(node, info)) return;
    if (!has_known_contents(node) && (!depends_on_constants(node) || widens_narrow_weights(node))) return;
    for (const ValueIndex output : node.outputs) {
      if (output != kNoValue) replace(node, info, output);
    }
    is_folded_[i] = true;
  }

  [[nodiscard]] bool may_fold(const Node& node, const OpInfo& info) const {
    const bool changes = info.cost_class == CostClass::kRandom || info.effect == Effect::kViewOfState ||
                         info.effect == Effect::kInPlace || info.effect == Effect::kUpdate;
    return !changes && std::ranges::none_of(node.inputs, [&](ValueIndex input) {
      return input != kNoValue && is_written_[origin_[input]];
    });
  }

  void replace(const Node& node, const OpInfo& info, ValueIndex output) {
    const bool looks = is_view(model_, node, info);
    const bool is_same = looks && role_[node.inputs[0]] && is_same_tensor(model_, node.inputs[0], output);
    if (is_same || is_decompression(node, output)) {
      const ValueIndex input = node.inputs[0];
      stored_as_[output] = is_same || stored_as_[input] ? stored_as_[input] : model_.values[input].dtype;
      same_as_[output] = same_as_[node.inputs[0]];
      weight_[output] = weight_[node.inputs[0]];
      role_[output] = role_[node.inputs[0]];
      namesake_[output] = namesake_[node.inputs[0]];
      return;
    }
    role_[output] = role_of(node, model_.values[output]);
    if (*role_[output] == Role::kParameter) {
      namesake_[output] = namesake_of(node, output);
      weight_[output] = weight_behind(node, output);
      note_storage(node, output);
    }
    model_.leaves.push_back({output, *role_[output], {}, node.device, node.colocate});
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

  // Quantised weights, 8 bits and less, that the node makes larger. Runtimes hold them as they are stored and widen
  // them within the step, mostly inside the product that reads them; folded, they would take several times the memory.
  [[nodiscard]] bool widens_narrow_weights(const Node& node) const {
    constexpr int kNarrow = 8;
    Bytes read = 0, made = 0;
    bool has_narrow = false;
    for (const ValueIndex input : node.inputs) {
      if (input == kNoValue || role_[input] != Role::kParameter) continue;
      const Value& value = model_.values[input];
      read = clamped_sum(read, value_bytes(value));
      has_narrow = has_narrow || (value.dtype && bits_of(*value.dtype) <= kNarrow && *value.dtype != DType::kBool);
    }
    if (!has_narrow) return false;
    for (const ValueIndex output : node.outputs) {
      if (output != kNoValue) made = clamped_sum(made, value_bytes(model_.values[output]));
    }
    return made > read;
  }

  // OpenVINO saves weights in half precision with a Convert behind each, which no plugin runs: they compute in half
  // precision, or convert while they load or inside the product. The weight counts as it is stored.
  [[nodiscard]] bool is_decompression(const Node& node, ValueIndex output) const {
    if (model_.dialect != Dialect::kOpenVino || node.type != "Convert" || node.inputs.size() != 1) return false;
    const ValueIndex input = node.inputs.front();
    if (input == kNoValue || role_[input] != Role::kParameter) return false;
    const auto from = model_.values[input].dtype, to = model_.values[output].dtype;
    return from && to && is_floating(*from) && is_floating(*to) && bits_of(*from) < bits_of(*to);
  }

  // What is made of a weight that was decompressed, in the same type, is stored like it.
  void note_storage(const Node& node, ValueIndex output) {
    for (const ValueIndex input : node.inputs) {
      if (input == kNoValue || role_[input] != Role::kParameter) continue;
      if (model_.values[input].dtype == model_.values[output].dtype) stored_as_[output] = stored_as_[input];
      return;
    }
  }

  // Only now, since the types of the file tell what a node does.
  void restore_types() {
    for (std::size_t i = 0; i < stored_as_.size(); ++i) {
      if (stored_as_[i]) model_.values[i].dtype = stored_as_[i];
    }
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

  // The weight it was made from, if that has a label; else itself.
  [[nodiscard]] ValueIndex namesake_of(const Node& node, ValueIndex made) const {
    const ValueIndex first = node.inputs.empty() ? kNoValue : node.inputs.front();
    return first != kNoValue && namesake_[first] != kNoValue ? namesake_[first] : made;
  }

  [[nodiscard]] ValueIndex weight_behind(const Node& node, ValueIndex made) const {
    for (const ValueIndex input : node.inputs) {
      if (input != kNoValue && role_[input] == Role::kParameter) return weight_[input];
    }
    return made;
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

  void replace_names() {
    for (Node& node : model_.nodes) {
      for (ValueIndex& input : node.inputs) {
        if (input != kNoValue) input = same_as_[input];
      }
    }
    for (ValueIndex& output : model_.outputs) output = same_as_[output];
  }

  void drop_unread_leaves() {
    std::vector<bool> is_read(model_.values.size(), false);
    for (const Node& node : model_.nodes) {
      for (const ValueIndex input : node.inputs) {
        if (input != kNoValue) is_read[input] = true;
      }
    }
    for (const ValueIndex output : model_.outputs) is_read[output] = true;
    hold_weights(is_read);
    std::erase_if(model_.leaves, [&](const Leaf& leaf) { return leaf.role != Role::kInput && !is_read[leaf.value]; });
  }

  // Those that nothing reads stay where their node is.
  void hold_weights(std::vector<bool>& is_read) {
    std::vector<const HeldWeight*> held(model_.values.size(), nullptr);
    for (const HeldWeight& weight : model_.held) {
      if (weight.value != kNoValue && !is_read[weight.value]) held[weight.value] = &weight;
    }
    for (Leaf& leaf : model_.leaves) {
      if (held[leaf.value] == nullptr || leaf.role == Role::kInput) continue;
      is_read[leaf.value] = true;
      leaf.colocate = held[leaf.value]->colocate;
    }
  }

  // Only now, since long chains of casts and transposes are gone, and one weight's label may be as long as the file.
  void label_weights() {
    for (Leaf& leaf : model_.leaves) {
      const ValueIndex namesake = namesake_[leaf.value];
      if (namesake == kNoValue || !leaf.label.empty()) continue;
      const std::string& label = label_[namesake].empty() ? model_.values[namesake].name : label_[namesake];
      leaf.label = label.substr(0, kMaxNameLength);
    }
  }

  // A weight that is read in two forms, as it is and transposed (tied embeddings), is one parameter and a constant.
  // Leaves of the file come before those that were made of them.
  void count_weights_once() {
    std::vector<bool> is_counted(model_.values.size(), false);
    for (Leaf& leaf : model_.leaves) {
      if (leaf.role != Role::kParameter) continue;
      if (is_counted[weight_[leaf.value]]) leaf.role = Role::kConstant;
      is_counted[weight_[leaf.value]] = true;
    }
  }

  Model& model_;
  std::vector<std::optional<Role>> role_;        // per value: what it is, if it is there from the start
  std::vector<std::string> label_;               // per value, as the file has it
  std::vector<ValueIndex> namesake_;             // per value, of parameters: the one it has its label from
  std::vector<ValueIndex> origin_;               // per value: whose bytes it has
  std::vector<ValueIndex> same_as_;              // per value: the leaf that it is another name of
  std::vector<ValueIndex> weight_;               // per value, of parameters: the leaf of the file that it is made of
  std::vector<std::optional<DType>> stored_as_;  // per value, of parameters: its type in the file, before decompression
  std::vector<bool> is_written_;                 // per value, by the step
  std::vector<bool> is_folded_;
};

}  // namespace

void fold_constants(Model& model) { Folder(model).run(); }

}  // namespace berth

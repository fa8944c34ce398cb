// SPDX-License-Identifier: Apache-2.0
#include "model/updates.h"

#include <algorithm>

#include "model/model.h"
#include "model/node_info.h"

namespace berth {
namespace {

class UpdateFinder {
 public:
  explicit UpdateFinder(const Model& model)
      : model_(model),
        written_(model.nodes.size(), kNoValue),
        follows_(model.nodes.size(), false),
        origin_(model.values.size()),
        after_write_(model.values.size(), false),
        is_parameter_(model.values.size(), false),
        writers_(model.values.size(), 0),
        is_spoiled_(model.values.size(), false) {
    for (std::size_t i = 0; i < origin_.size(); ++i) origin_[i] = static_cast<ValueIndex>(i);
    for (const Leaf& leaf : model.leaves) is_parameter_[leaf.value] = leaf.role == Role::kParameter;
  }

  std::vector<ValueIndex> find() {
    for (const std::uint32_t node : topological_order(model_)) visit(node);
    for (ValueIndex& parameter : written_) {
      if (parameter != kNoValue && (writers_[parameter] > 1 || is_spoiled_[parameter])) parameter = kNoValue;
    }
    return std::move(written_);
  }

 private:
  void visit(std::uint32_t at) {
    const Node& node = model_.nodes[at];
    const OpInfo info = info_of(model_, node);
    const bool looks = is_view(model_, node, info);
    const bool has_first = !node.inputs.empty() && node.inputs[0] != kNoValue;
    if (info.effect == Effect::kUpdate && has_first && is_parameter_[origin_[node.inputs[0]]]) {
      written_[at] = origin_[node.inputs[0]];
      ++writers_[written_[at]];
    }
    follows_[at] = comes_after_a_write(node);
    if (follows_[at]) spoil_what_it_reads(node, looks, written_[at]);
    for (const ValueIndex output : node.outputs) {
      if (output == kNoValue) continue;
      if (looks) origin_[output] = origin_[node.inputs[0]];
      after_write_[output] = follows_[at] || written_[at] != kNoValue;
    }
  }

  [[nodiscard]] bool comes_after_a_write(const Node& node) const {
    const auto reads = [&](ValueIndex input) { return input != kNoValue && after_write_[input]; };
    const auto waits = [&](std::uint32_t before) {
      return before < follows_.size() && (follows_[before] || written_[before] != kNoValue);
    };
    return std::ranges::any_of(node.inputs, reads) || std::ranges::any_of(node.control, waits);
  }

  // A view reads its first input only through those who read it.
  void spoil_what_it_reads(const Node& node, bool looks, ValueIndex own) {
    for (std::size_t i = looks ? 1 : 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == kNoValue) continue;
      const ValueIndex origin = origin_[node.inputs[i]];
      if (origin != own) is_spoiled_[origin] = true;
    }
  }

  const Model& model_;
  std::vector<ValueIndex> written_;     // per node: the parameter
  std::vector<bool> follows_;           // per node: whether it comes after some write
  std::vector<ValueIndex> origin_;      // per value: what it is a view of
  std::vector<bool> after_write_;       // per value: whether its maker writes or follows a write
  std::vector<bool> is_parameter_;      // per value
  std::vector<std::uint32_t> writers_;  // per value
  std::vector<bool> is_spoiled_;        // per value: read again after some write
};

}  // namespace

std::vector<ValueIndex> find_updates(const Model& model) { return UpdateFinder(model).find(); }

}  // namespace berth

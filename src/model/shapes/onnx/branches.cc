// SPDX-License-Identifier: Apache-2.0
#include "model/shapes/onnx/branches.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/shapes/pass.h"

namespace berth {
namespace {

std::size_t count_nodes(const Body& body) {
  std::size_t count = body.model.nodes.size();
  for (const Node& node : body.model.nodes) {
    for (const auto& inner : node.bodies) count += count_nodes(*inner);
  }
  return count;
}

// Copies one branch into the model around it.
class BranchWriter {
 public:
  BranchWriter(Model& model, const Node& node, const Body& body)
      : model_(model), node_(node), body_(body), outer_(body.model.values.size(), kNoValue) {}

  std::vector<Node> run(const DimSizes& symbols) {
    for (const Body::Captured& captured : body_.captured) outer_[captured.inside] = node_.inputs[captured.input];
    name_outputs();
    for (std::size_t i = 0; i < outer_.size(); ++i) {
      if (outer_[i] != kNoValue) continue;
      outer_[i] = model_.add(body_.model.values[i]);
      bind_symbols(model_.values[outer_[i]], symbols);
    }
    for (Leaf leaf : body_.model.leaves) {
      leaf.value = outer_[leaf.value];
      model_.leaves.push_back(std::move(leaf));
    }
    std::vector<Node> nodes;
    for (const Node& inner : body_.model.nodes) nodes.push_back(moved(inner));
    for (const auto& [inside, outside] : handed_on_) nodes.push_back(identity(outer_[inside], outside));
    return nodes;
  }

 private:
  // What the branch makes gets the If's own values, which others read already. What it just hands on, or hands out
  // twice, is left for an Identity.
  void name_outputs() {
    std::vector<bool> is_made(outer_.size(), false);
    for (const Node& inner : body_.model.nodes) {
      for (const ValueIndex output : inner.outputs) {
        if (output != kNoValue) is_made[output] = true;
      }
    }
    for (std::size_t i = 0; i < std::min(node_.outputs.size(), body_.model.outputs.size()); ++i) {
      const ValueIndex inside = body_.model.outputs[i], outside = node_.outputs[i];
      if (outside == kNoValue) continue;
      if (!is_made[inside] || outer_[inside] != kNoValue) {
        handed_on_.emplace_back(inside, outside);
        continue;
      }
      outer_[inside] = outside;
      const Value& made = body_.model.values[inside];
      fill_in(model_.values[outside], {made.dtype, made.shape});
    }
  }

  [[nodiscard]] Node moved(Node node) const {
    const auto move = [&](ValueIndex& value) { value = value != kNoValue ? outer_[value] : value; };
    std::ranges::for_each(node.inputs, move);
    std::ranges::for_each(node.outputs, move);
    return node;
  }

  [[nodiscard]] Node identity(ValueIndex from, ValueIndex to) const {
    Node node;
    node.name = model_.values[to].name;
    node.type = "Identity";
    node.inputs = {from};
    node.outputs = {to};
    return node;
  }

  Model& model_;
  const Node& node_;
  const Body& body_;
  std::vector<ValueIndex> outer_;  // per value of the branch: its place in the model
  std::vector<std::pair<ValueIndex, ValueIndex>> handed_on_;
};

}  // namespace

bool is_branching(const Node& node) { return node.type == "If" && node.bodies.size() == 2; }

Branches choose_branch(Model& model, const Node& node) {
  const Body &yes = *node.bodies[0], &no = *node.bodies[1];
  const ValueIndex condition = node.inputs.empty() ? kNoValue : node.inputs.front();
  const auto* contents =
      condition != kNoValue && model.values[condition].contents ? &*model.values[condition].contents : nullptr;
  if (contents != nullptr && contents->size() == 1) return {contents->front() != 0 ? yes : no};
  const bool takes_first = count_nodes(yes) >= count_nodes(no);
  model.open_branches.emplace(node.name, takes_first ? "then" : "else");
  return takes_first ? Branches{yes, &no} : Branches{no, &yes};
}

std::vector<Node> write_out_branch(Model& model, const Node& node, const Body& branch, const DimSizes& symbols) {
  return BranchWriter(model, node, branch).run(symbols);
}

void hold_weights(Model& model, const Node& node, const Body& other, std::vector<Node>& nodes) {
  if (nodes.empty() || other.captured.empty()) return;
  std::string& group = nodes.back().colocate;
  if (group.empty()) group = fmt::format("branch:{}", node.name);
  for (const Body::Captured& captured : other.captured) model.held.push_back({node.inputs[captured.input], group});
}

}  // namespace berth

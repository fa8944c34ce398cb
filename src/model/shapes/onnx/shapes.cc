// SPDX-License-Identifier: Apache-2.0
#include "model/shapes/onnx/shapes.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <unordered_map>

#include "model/model.h"
#include "model/node_info.h"
#include "model/shapes/onnx/bodies.h"
#include "model/shapes/onnx/branches.h"
#include "model/shapes/onnx/rules.h"
#include "model/shapes/pass.h"

namespace berth {
namespace {

void set_attribute(Node& node, std::string_view name, Attribute value) {
  for (auto& [key, old] : node.attributes) {
    if (key == name) {
      old = std::move(value);
      return;
    }
  }
  node.attributes.emplace_back(std::string(name), std::move(value));
}

// One pass over all nodes, each after those it reads from. Every node is visited once, those of subgraphs too: work
// grows with the file, however deep its loops and branches are.
class OnnxPass {
 public:
  OnnxPass(Model& model, const DimSizes& symbols, const DimSizes& given)
      : model_(model), symbols_(symbols), given_(given), pass_(model, onnx_rules(), given) {}

  void run() {
    const std::vector<std::uint32_t> order = topological_order(model_);
    model_.nodes = visit_all(std::move(model_.nodes), order);
  }

 private:
  // The same nodes, each If replaced by those of its branch. Whatever its condition depends on has been visited by
  // then.
  std::vector<Node> visit_all(std::vector<Node> nodes, const std::vector<std::uint32_t>& order) {
    std::unordered_map<std::size_t, std::vector<Node>> branches;
    for (const std::uint32_t at : order) {
      if (is_branching(nodes[at])) {
        branches[at] = visit_branch(nodes[at]);
      } else {
        visit(nodes[at]);
      }
    }
    if (branches.empty()) return nodes;
    std::vector<Node> all;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const auto branch = branches.find(i);
      if (branch == branches.end()) {
        all.push_back(std::move(nodes[i]));
      } else {
        std::ranges::move(branch->second, std::back_inserter(all));
      }
    }
    return all;
  }

  std::vector<Node> visit_branch(const Node& node) {
    const auto [branch, other] = choose_branch(model_, node);
    std::vector<std::uint32_t> order = topological_order(branch.model);
    std::vector<Node> nodes = write_out_branch(model_, node, branch, symbols_);
    for (std::size_t i = branch.model.nodes.size(); i < nodes.size(); ++i)
      order.push_back(static_cast<std::uint32_t>(i));
    nodes = visit_all(std::move(nodes), order);
    if (other != nullptr) hold_weights(model_, node, *other, nodes);
    return nodes;
  }

  void visit(Node& node) {
    if (is_loop(node)) {
      visit_loop(node);
    } else {
      pass_.visit(node);
    }
  }

  void visit_loop(Node& node) {
    LoopWork work = infer_loop(model_, node, symbols_, given_);
    pass_.fill_outputs(node, work.outputs);
    set_attribute(node, "body_flops", work.flops);
    if (!work.overflow.empty()) {
      set_attribute(node, kBodyOverflow, work.overflow);
      work.bytes = 0.0;
    }
    set_attribute(node, "body_bytes", static_cast<std::int64_t>(work.bytes));
    set_attribute(node, "body_turns", work.turns);
    set_attribute(node, "body_turns_known", std::int64_t{work.turns_known});
    model_.open_branches.merge(work.open_branches);
    std::ranges::move(work.open_sizes, std::back_inserter(model_.open_sizes));
  }

  Model& model_;
  const DimSizes& symbols_;
  const DimSizes& given_;
  ShapePass pass_;
};

// Only subgraphs ask for them.
DimSizes sizes_of_symbols(const Model& model) {
  DimSizes sizes;
  if (std::ranges::all_of(model.nodes, [](const Node& node) { return node.bodies.empty(); })) return sizes;
  for (const Value& value : model.values) {
    for (const Dim& dim : value.shape.value_or(Shape())) {
      if (dim.known() && !dim.symbol.empty()) sizes.emplace(dim.symbol, dim.size);
    }
  }
  return sizes;
}

}  // namespace

void infer_onnx_shapes(Model& model, const DimSizes& given) {
  const DimSizes symbols = sizes_of_symbols(model);
  OnnxPass(model, symbols, given).run();
  for (const Node& node : model.nodes) {
    if (is_loop(node) && node.integer("body_turns_known", 1) == 0) model.open_loops.push_back(node.name);
  }
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include "model/shapes/onnx/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <unordered_map>

#include "model/node_info.h"
#include "model/order.h"
#include "model/shapes/onnx/bodies.h"
#include "model/shapes/onnx/branches.h"
#include "model/shapes/onnx/contents.h"
#include "model/shapes/onnx/rule_tools.h"

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
class ShapePass {
 public:
  ShapePass(Model& model, const DimSizes& symbols, const DimSizes& given)
      : model_(model), symbols_(symbols), given_(given) {}

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
      LoopWork work = infer_loop(model_, node, symbols_, given_);
      fill_outputs(node, work.outputs);
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
      return;
    }
    const OnnxView view(model_, node, partial_);
    fill_outputs(node, infer_outputs(view));
    auto contents = compute_contents(view);
    for (std::size_t i = 0; i < std::min(contents.size(), node.outputs.size()); ++i) {
      const ValueIndex output = node.outputs[i];
      if (contents[i] && output != kNoValue && !model_.values[output].contents) keep_contents(output, *contents[i]);
    }
  }

  void fill_outputs(const Node& node, const Outputs& outputs) {
    for (std::size_t i = 0; i < std::min(outputs.size(), node.outputs.size()); ++i) {
      if (node.outputs[i] == kNoValue) continue;
      Value& value = model_.values[node.outputs[i]];
      fill_in(value, outputs[i]);
      if (!outputs[i].opens.empty() && value.shape) bind_open_sizes(value, outputs[i].opens);
    }
  }

  void bind_open_sizes(Value& value, const std::string& name) {
    const auto given = given_.find(name);
    for (std::size_t axis = 0; axis < value.shape->size(); ++axis) {
      Dim& dim = (*value.shape)[axis];
      if (dim.known() || dim.symbol != name) continue;
      dim.size = given != given_.end() ? given->second : 1;
      model_.open_sizes.push_back({name, dim.size, fmt::format("{}[{}]", value.name, axis)});
    }
  }

  void keep_contents(ValueIndex index, const PartialNumbers& numbers) {
    Value& value = model_.values[index];
    fill_in(value, {std::nullopt, Shape{known_dim(static_cast<std::int64_t>(numbers.size()))}});
    std::vector<std::int64_t> whole;
    for (const auto& number : numbers) {
      if (number) whole.push_back(*number);
    }
    if (whole.size() == numbers.size()) {
      value.contents = std::move(whole);
    } else {
      partial_[index] = numbers;
    }
  }

  Model& model_;
  const DimSizes& symbols_;
  const DimSizes& given_;
  PartialContents partial_;
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
  ShapePass(model, symbols, given).run();
  for (const Node& node : model.nodes) {
    if (is_loop(node) && node.integer("body_turns_known", 1) == 0) model.open_loops.push_back(node.name);
  }
}

}  // namespace berth

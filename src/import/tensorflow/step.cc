// SPDX-License-Identifier: Apache-2.0
#include "import/tensorflow/step.h"

#include <algorithm>
#include <string>

#include "import/tensorflow/op_kinds.h"

namespace berth::tensorflow {
namespace {

class Selector {
 public:
  Selector(const FlatGraph& graph, std::span<const std::uint32_t> order)
      : graph_(graph), order_(order), keeps_(graph.nodes.size(), 1) {}

  std::vector<char> select() {
    if (graph_.knows_outputs) {
      keep_what_outputs_need();
    } else {
      drop_preparations();
      drop_what_depends_on_them();
      drop_what_only_they_need();
      keep_what_is_needed();
    }
    return std::move(keeps_);
  }

  // Leaves depend on nothing.
  template <typename Visit>
  void for_each_input(std::uint32_t node, const Visit& visit) const {
    if (is_leaf(kind(node))) return;
    for (const TensorRef& input : graph_.nodes[node].inputs) visit(input.node);
  }
  template <typename Visit>
  void for_each_predecessor(std::uint32_t node, const Visit& visit) const {
    for_each_input(node, visit);
    if (is_leaf(kind(node))) return;
    for (const std::uint32_t before : graph_.nodes[node].control) visit(before);
  }

 private:
  void keep_what_outputs_need() {
    std::ranges::fill(keeps_, 0);
    for (const TensorRef& output : graph_.outputs) keeps_[output.node] = 1;
    for (const std::uint32_t target : graph_.targets) keeps_[target] = 1;
    for (auto at = order_.rbegin(); at != order_.rend(); ++at) {
      const std::uint32_t node = *at;
      if (keeps_[node] == 0) continue;
      for_each_predecessor(node, [&](std::uint32_t before) { keeps_[before] = 1; });
    }
  }

  void drop_preparations() {
    find_constant_expressions();
    for (std::uint32_t i = 0; i < keeps_.size(); ++i) {
      const bool prepares =
          kind(i) == OpKind::kPipeline || kind(i) == OpKind::kCheckpoint || kind(i) == OpKind::kInitializer;
      if (prepares || is_initializer(graph_.nodes[i])) keeps_[i] = 0;
    }
  }

  void find_constant_expressions() {
    is_constant_.assign(keeps_.size(), 0);
    for (const std::uint32_t node : order_) {
      bool constant = kind(node) == OpKind::kConstant || kind(node) == OpKind::kCompute;
      for_each_input(node, [&](std::uint32_t input) { constant = constant && is_constant_[input] != 0; });
      is_constant_[node] = constant ? 1 : 0;
    }
  }

  [[nodiscard]] bool is_initializer(const FlatNode& node) const {
    if (!is_assignment(node.type()) || node.inputs.size() < 2) return false;
    const std::string& variable = graph_.nodes[node.inputs[0].node].name;
    const bool is_first = node.name.size() == variable.size() + kAssign.size() && node.name.starts_with(variable) &&
                          node.name.ends_with(kAssign);
    return is_first || is_constant_[node.inputs[1].node] != 0;
  }

  // A node behind a preparation that has nothing else but constants and variables belongs to it.
  void drop_what_depends_on_them() {
    for (const std::uint32_t node : order_) {
      bool depends = false, only = true;
      for_each_predecessor(node, [&](std::uint32_t before) {
        if (keeps_[before] == 0) {
          depends = true;
        } else if (kind(before) != OpKind::kConstant && kind(before) != OpKind::kVariable) {
          only = false;
        }
      });
      if (depends && only) keeps_[node] = 0;
    }
  }

  void drop_what_only_they_need() {
    std::vector<char> is_used(keeps_.size(), 0), is_consumed(keeps_.size(), 0);
    for (auto at = order_.rbegin(); at != order_.rend(); ++at) {
      const std::uint32_t node = *at;
      const bool unwanted = is_used[node] == 0 && (is_consumed[node] != 0 || is_idle(node));
      if (unwanted && kind(node) != OpKind::kVariable) keeps_[node] = 0;
      for_each_predecessor(node, [&](std::uint32_t before) {
        is_consumed[before] = 1;
        if (keeps_[node] != 0) is_used[before] = 1;
      });
    }
  }

  // Whether nothing is lost if nobody uses it: it does not compute anything from inputs or variables.
  [[nodiscard]] bool is_idle(std::uint32_t node) const {
    if (is_constant_[node] != 0 || kind(node) == OpKind::kInput) return true;
    const FlatNode& flat = graph_.nodes[node];
    if (kind(node) == OpKind::kNoOp) {
      return std::ranges::none_of(flat.control, [&](std::uint32_t before) { return keeps_[before] != 0; });
    }
    const bool reads = flat.type() == "Identity" || flat.type() == "ReadVariableOp";
    return reads && !flat.inputs.empty() && is_leaf(kind(flat.inputs[0].node));
  }

  // Some preparations are part of the step after all: their values are read by it.
  void keep_what_is_needed() {
    for (auto at = order_.rbegin(); at != order_.rend(); ++at) {
      const std::uint32_t node = *at;
      if (keeps_[node] == 0) continue;
      for_each_input(node, [&](std::uint32_t input) { keeps_[input] = 1; });
    }
  }

  [[nodiscard]] OpKind kind(std::uint32_t node) const { return graph_.nodes[node].kind; }

  static constexpr std::string_view kAssign = "/Assign";
  const FlatGraph& graph_;
  std::span<const std::uint32_t> order_;
  std::vector<char> keeps_, is_constant_;
};

// What nobody consumes, unless it is there for its effect.
std::vector<TensorRef> unused_results(const FlatGraph& graph, const Selector& selector,
                                      const std::vector<char>& keeps) {
  std::vector<char> is_consumed(keeps.size(), 0);
  for (std::uint32_t i = 0; i < keeps.size(); ++i) {
    if (keeps[i] != 0) selector.for_each_predecessor(i, [&](std::uint32_t before) { is_consumed[before] = 1; });
  }
  std::vector<TensorRef> results;
  for (std::uint32_t i = 0; i < keeps.size(); ++i) {
    const std::string_view type = graph.nodes[i].type();
    const bool loops = type == "NextIteration" || type == "RefNextIteration" || type == "LoopCond";
    if (keeps[i] == 0 || is_consumed[i] != 0 || loops || graph.nodes[i].in_condition || is_leaf(graph.nodes[i].kind))
      continue;
    if (has_outputs(type) && !is_update(type)) results.push_back({i, 0});
  }
  return results;
}

void report_left_out(const FlatGraph& graph, const std::vector<char>& keeps, TensorFlowReport& report) {
  for (std::size_t i = 0; i < keeps.size(); ++i) {
    if (keeps[i] != 0) continue;
    const OpKind kind = graph.nodes[i].kind;
    std::string reason = "only needed by what is left out";
    if (graph.knows_outputs) reason = "not needed by the outputs";
    if (kind == OpKind::kPipeline) reason = "input pipeline";
    if (kind == OpKind::kCheckpoint) reason = "saving and restoring";
    if (kind == OpKind::kInitializer || is_assignment(graph.nodes[i].type())) reason = "initialising";
    ++report.left_out[reason];
  }
}

}  // namespace

Step select_step(const FlatGraph& graph, std::span<const std::uint32_t> order, TensorFlowReport& report) {
  Selector selector(graph, order);
  Step step;
  step.keeps = selector.select();
  step.outputs = graph.knows_outputs ? graph.outputs : unused_results(graph, selector, step.keeps);
  report_left_out(graph, step.keeps, report);
  return step;
}

}  // namespace berth::tensorflow

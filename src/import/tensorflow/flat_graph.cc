// SPDX-License-Identifier: Apache-2.0
// Inlining: first every call becomes a scope of its own and every other node a flat node, then inputs are resolved
// through the scopes. Recursive functions end at the cap on depth, and functions that double each other at the cap on
// nodes.
#include "import/tensorflow/flat_graph.h"

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "files/json/json_reader.h"
#include "graph/builder.h"
#include "import/tensorflow/calls.h"
#include "import/tensorflow/resolve.h"

namespace berth::tensorflow {
namespace {

constexpr std::size_t kMostControlEdges = 10'000'000;

class Flattener {
 public:
  Flattener(const GraphDef& graph, const TensorFlowOptions& options, TensorFlowReport& report)
      : graph_(graph), options_(options), report_(report) {
    if (options.outputs.empty()) {
      wanted_ = graph.outputs;
    } else {
      wanted_.assign(options.outputs.begin(), options.outputs.end());
    }
  }

  Result<FlatGraph> run() {
    BERTH_TRY(library_, make_library(graph_));
    Scope& root = *scopes_.emplace_back(std::make_unique<Scope>());
    root.nodes = graph_.nodes;
    BERTH_RETURN_IF_ERROR(index_names(root));
    BERTH_TRY(const std::vector<char> needed, needed_nodes(root));
    BERTH_RETURN_IF_ERROR(expand(root, needed));
    for (const auto& scope : scopes_) BERTH_RETURN_IF_ERROR(connect(*scope));
    BERTH_RETURN_IF_ERROR(find_wanted(root));
    return std::move(flat_);
  }

 private:
  static Status index_names(Scope& scope) {
    scope.by_name.reserve(scope.nodes.size());
    for (std::uint32_t i = 0; i < scope.nodes.size(); ++i) {
      if (!scope.by_name.emplace(scope.nodes[i].name, i).second) {
        return bad_input("two nodes are named '{}'", scope.nodes[i].name);
      }
    }
    scope.flat.assign(scope.nodes.size(), Scope::kNoFlatNode);
    return {};
  }

  // Of the graph itself: what the wanted outputs depend on; everything if none are known.
  Result<std::vector<char>> needed_nodes(const Scope& root) const {
    std::vector<char> needed(root.nodes.size(), wanted_.empty() ? 1 : 0);
    std::vector<std::uint32_t> open;
    const auto need = [&](std::string_view name) {
      const auto found = root.by_name.find(name);
      if (found == root.by_name.end()) return false;
      if (needed[found->second] == 0) open.push_back(found->second);
      needed[found->second] = 1;
      return true;
    };
    for (const std::string_view output : wanted_) {
      const auto parsed = parse_input(is_control(output) ? output.substr(1) : output);
      if (!parsed || !need(parsed->node)) return no_such_output(output);
    }
    while (!open.empty()) {
      const NodeDef& node = root.nodes[open.back()];
      open.pop_back();
      for (const std::string_view input : node.inputs) {
        const auto parsed = parse_input(is_control(input) ? input.substr(1) : input);
        if (!parsed || !need(parsed->node)) {
          return bad_input("node '{}': its input {} does not exist", node.name, in_quotes(input));
        }
      }
    }
    if (!wanted_.empty()) {
      const auto unneeded = static_cast<std::size_t>(std::ranges::count(needed, 0));
      if (unneeded > 0) report_.left_out["not needed by the outputs"] += unneeded;
    }
    return needed;
  }

  [[nodiscard]] Error no_such_output(std::string_view output) const {
    constexpr std::size_t kMostCandidates = 20'000;  // comparing names takes its time
    std::vector<std::string> names;
    for (const NodeDef& node : graph_.nodes) {
      if (names.size() < kMostCandidates) names.emplace_back(node.name);
    }
    return bad_input("the graph has no node {}, which is wanted as an output{}", in_quotes(output),
                     did_you_mean(output, names));
  }

  // `needed` is empty for functions: all of their nodes are.
  Status expand(Scope& scope, const std::vector<char>& needed) {
    for (std::uint32_t i = 0; i < scope.nodes.size(); ++i) {
      if (!needed.empty() && needed[i] == 0) continue;
      const NodeDef& node = scope.nodes[i];
      if (!std::ranges::is_sorted(node.inputs, control_comes_last)) {
        return bad_input("node '{}': it has a data input behind a control input", node.name);
      }
      BERTH_TRY(std::vector<Call> calls, calls_of(node, scope.bindings, library_));
      if (calls.empty()) {
        BERTH_RETURN_IF_ERROR(add_node(scope, i));
        continue;
      }
      note_call(scope, node, calls);
      for (std::size_t k = 0; k < calls.size(); ++k) {
        BERTH_RETURN_IF_ERROR(expand_call(scope, i, std::move(calls[k]), /*is_main=*/k == 0));
      }
    }
    return {};
  }

  static bool control_comes_last(std::string_view a, std::string_view b) { return !is_control(a) && is_control(b); }

  Status add_node(Scope& scope, std::uint32_t i) {
    const NodeDef& node = scope.nodes[i];
    FlatNode flat;
    flat.name = fmt::format("{}{}", scope.prefix, node.name);
    if (flat.name.size() > kMaxNameLength) {
      return bad_input("node '{}': its name is longer than {} characters once inlined", node.name, kMaxNameLength);
    }
    if (scope.is_function()) BERTH_RETURN_IF_ERROR(count_inlined(scope, size_of(node) + flat.name.size() / 64));
    flat.def = &node;
    flat.kind = kind_of(node.op);
    flat.bindings = scope.bindings;
    flat.device = node.device.empty() ? scope.device : node.device;
    flat.loop_depth = scope.loop_depth;
    flat.in_condition = scope.in_condition;
    scope.flat[i] = static_cast<std::uint32_t>(flat_.nodes.size());
    flat_.nodes.push_back(std::move(flat));
    return {};
  }

  // In units of a small node, so that what a short file can make of itself stays small.
  static std::size_t size_of(const NodeDef& node) {
    constexpr std::size_t kLargestValue = 4096;  // longer attributes are not copied into a model
    std::size_t attributes = 0;
    for (const auto& [name, value] : node.attributes) attributes += 1 + std::min(value.size(), kLargestValue) / 8;
    return 1 + node.inputs.size() + attributes / 8;
  }

  Status count_inlined(const Scope& scope, std::size_t amount) {
    inlined_ += amount;
    if (inlined_ <= options_.max_inlined_nodes) return {};
    return bad_input("node '{}': inlining function '{}' makes more than {} nodes and edges", scope.caller->name,
                     scope.call.function->def->name, options_.max_inlined_nodes);
  }

  void note_call(const Scope& scope, const NodeDef& node, const std::vector<Call>& calls) {
    const Call& call = calls.front();
    ++report_.inlined_calls;
    if (call.in_loop) report_.loops.push_back(fmt::format("{}{}", scope.prefix, node.name));
    if (call.is_branch) {
      report_.chosen_branches.emplace(fmt::format("{}{}", scope.prefix, node.name), call.function->def->name);
    }
  }

  Status expand_call(Scope& scope, std::uint32_t i, Call call, bool is_main) {
    const NodeDef& node = scope.nodes[i];
    if (scope.depth >= options_.max_call_depth) {
      return bad_input("node '{}': calls are nested more than {} deep, or function '{}' calls itself", node.name,
                       options_.max_call_depth, call.function->def->name);
    }
    Scope& callee = *scopes_.emplace_back(std::make_unique<Scope>());
    callee.nodes = call.function->def->nodes;
    callee.parent = &scope;
    callee.caller = &node;
    // A loop's condition stands beside its body.
    callee.prefix = fmt::format("{}{}/{}", scope.prefix, node.name, is_main ? "" : "cond/");
    callee.device = node.device.empty() ? scope.device : node.device;
    callee.depth = scope.depth + 1;
    callee.loop_depth = scope.loop_depth + (call.in_loop ? 1U : 0U);
    callee.in_condition = scope.in_condition || !is_main;
    callee.bindings = &flat_.bindings.emplace_back(Bindings{std::move(call.attributes), scope.bindings});
    callee.call = std::move(call);
    BERTH_RETURN_IF_ERROR(count_inlined(callee, size_of(node) + callee.nodes.size() + callee.prefix.size() / 64));
    BERTH_RETURN_IF_ERROR(index_names(callee));
    if (is_main) scope.callees.emplace(i, &callee);
    return expand(callee, {});
  }

  // Scopes come in the order in which they were opened: callers before callees.
  Status connect(Scope& scope) {
    if (scope.is_function()) BERTH_RETURN_IF_ERROR(find_start(scope));
    for (std::uint32_t i = 0; i < scope.nodes.size(); ++i) {
      if (scope.flat[i] == Scope::kNoFlatNode) continue;
      const NodeDef& node = scope.nodes[i];
      FlatNode& flat = flat_.nodes[scope.flat[i]];
      flat.inputs.reserve(data_inputs(node).size());
      for (const std::string_view input : data_inputs(node)) {
        BERTH_TRY(const TensorRef tensor, resolver_.data(scope, input, flat.name));
        flat.inputs.push_back(tensor);
      }
      BERTH_TRY(flat.control, waits_for(scope, node));
    }
    return {};
  }

  // Control inputs of a node; in a function, what has no input from inside starts after whatever its call waits for.
  Result<std::vector<std::uint32_t>> waits_for(Scope& scope, const NodeDef& node) {
    std::vector<std::uint32_t> nodes;
    for (const std::string_view input : std::span(node.inputs).subspan(data_inputs(node).size())) {
      BERTH_RETURN_IF_ERROR(resolver_.control(scope, input.substr(1), node.name, nodes));
    }
    const auto inside = [&](std::string_view input) { return Resolver::is_inside(scope, input); };
    if (std::ranges::none_of(node.inputs, inside)) {
      nodes.insert(nodes.end(), scope.starts_after.begin(), scope.starts_after.end());
    }
    std::ranges::sort(nodes);
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    control_edges_ += nodes.size();
    if (control_edges_ > kMostControlEdges)
      return bad_input("the graph has more than {} control edges", kMostControlEdges);
    return nodes;
  }

  Status find_start(Scope& scope) {
    BERTH_TRY(scope.starts_after, waits_for(*scope.parent, *scope.caller));
    return {};
  }

  // What the outputs stand for: tensors, or nodes that have none.
  Status find_wanted(Scope& root) {
    flat_.knows_outputs = !wanted_.empty();
    for (const std::string_view output : wanted_) {
      const bool target = is_control(output);
      const std::string_view name = target ? output.substr(1) : output;
      if (!target) {
        BERTH_TRY(const TensorRef tensor, resolver_.data(root, name, name));
        flat_.outputs.push_back(tensor);
      } else {
        BERTH_RETURN_IF_ERROR(resolver_.control(root, name, name, flat_.targets));
      }
    }
    return {};
  }

  const GraphDef& graph_;
  const TensorFlowOptions& options_;
  TensorFlowReport& report_;
  Library library_;
  std::vector<std::string_view> wanted_;
  std::vector<std::unique_ptr<Scope>> scopes_;
  Resolver resolver_;
  FlatGraph flat_;
  std::size_t inlined_ = 0, control_edges_ = 0;
};

}  // namespace

Result<FlatGraph> flatten(const GraphDef& graph, const TensorFlowOptions& options, TensorFlowReport& report) {
  return Flattener(graph, options, report).run();
}

}  // namespace berth::tensorflow

// SPDX-License-Identifier: Apache-2.0
#include "import/tensorflow/calls.h"

#include <algorithm>

#include "files/json/json_reader.h"
#include "import/tensorflow/op_kinds.h"

namespace berth::tensorflow {
namespace {

Result<Function> index_of(const FunctionDef& def) {
  Function function{.def = &def};
  for (std::size_t i = 0; i < def.inputs.size(); ++i) function.inputs.emplace(def.inputs[i], i);
  for (std::size_t i = 0; i < def.outputs.size(); ++i) function.outputs.emplace(def.outputs[i], i);
  function.returns.resize(def.outputs.size());
  for (const auto& [output, source] : def.returns) {
    const auto found = function.outputs.find(output);
    if (found != function.outputs.end()) function.returns[found->second] = source;
  }
  for (std::size_t i = 0; i < def.outputs.size(); ++i) {
    if (function.returns[i].empty()) {
      return bad_input("function '{}': its output {} is not defined", def.name, in_quotes(def.outputs[i]));
    }
  }
  return function;
}

class CallReader {
 public:
  CallReader(const NodeDef& node, const Bindings* bindings, const Library& library)
      : node_(node), library_(library), attributes_(node, bindings) {}

  Result<std::vector<Call>> read() const {
    const std::string_view op = node_.op;
    if (library_.contains(op)) return one({op, node_.attributes}, {.by_name = true});
    if (op == "PartitionedCall" || op == "StatefulPartitionedCall") return named("f", {});
    if (op == "RemoteCall") return named("f", {.first_input = 1});
    if (op == "While" || op == "StatelessWhile") return loop();
    if (op == "If" || op == "StatelessIf") return branch({need("then_branch"), need("else_branch")});
    if (op == "Case" || op == "StatelessCase") return branch(attributes_.functions("branches"));
    const std::string_view attribute = attributes_.first_function();
    if (attribute.empty() || kind_of(op) != OpKind::kCompute) return std::vector<Call>();
    return bad_input(
        "node '{}': {} calls a function ({}), which cannot be inlined; freeze or export the model without it",
        node_.name, op, in_quotes(attribute));
  }

 private:
  [[nodiscard]] FunctionName need(std::string_view attribute) const {
    return attributes_.function(attribute).value_or(FunctionName());
  }

  [[nodiscard]] Result<Call> make_call(FunctionName name, Call call) const {
    const auto found = library_.find(name.name);
    if (found == library_.end()) {
      return bad_input("node '{}': it calls function {}, which the file does not have", node_.name,
                       in_quotes(name.name));
    }
    const FunctionDef& def = *found->second.def;
    if (def.takes_lists) {
      return bad_input(
          "node '{}': it calls function '{}', which takes or gives a list: it cannot be inlined; freeze or export the "
          "model without it",
          node_.name, def.name);
    }
    const auto control = std::ranges::count_if(node_.inputs, is_control);
    const std::size_t given = node_.inputs.size() - static_cast<std::size_t>(control);
    if (given < call.first_input || given - call.first_input != def.inputs.size()) {
      return bad_input("node '{}': function '{}' takes {} inputs, it gets {}", node_.name, def.name, def.inputs.size(),
                       given - std::min(given, call.first_input));
    }
    call.function = &found->second;
    call.attributes = std::move(name.attributes);
    return call;
  }

  [[nodiscard]] Result<std::vector<Call>> one(FunctionName name, Call kind) const {
    BERTH_TRY(Call made, make_call(std::move(name), std::move(kind)));
    std::vector<Call> calls;
    calls.push_back(std::move(made));
    return calls;
  }
  [[nodiscard]] Result<std::vector<Call>> named(std::string_view attribute, Call kind) const {
    return one(need(attribute), std::move(kind));
  }

  [[nodiscard]] Result<std::vector<Call>> loop() const {
    std::vector<Call> calls;
    for (const std::string_view part : {"body", "cond"}) {
      BERTH_TRY(Call made, make_call(need(part), {.in_loop = true}));
      calls.push_back(std::move(made));
    }
    if (calls.front().function->def->outputs.size() != calls.front().function->def->inputs.size()) {
      return bad_input("node '{}': the body of its loop gives back another number of values than it takes", node_.name);
    }
    return calls;
  }

  // The branch with the most nodes; the first of equals.
  [[nodiscard]] Result<std::vector<Call>> branch(const std::vector<FunctionName>& names) const {
    std::vector<Call> best;
    for (const FunctionName& name : names) {
      BERTH_TRY(Call made, make_call(name, {.first_input = 1, .is_branch = true}));
      const bool larger = best.empty() || made.function->def->nodes.size() > best.front().function->def->nodes.size();
      if (larger) best.assign(1, std::move(made));
    }
    if (best.empty()) return bad_input("node '{}': {} names no function", node_.name, node_.op);
    return best;
  }

  const NodeDef& node_;
  const Library& library_;
  Attributes attributes_;
};

}  // namespace

Result<Library> make_library(const GraphDef& graph) {
  Library library;
  for (const FunctionDef& def : graph.functions) {
    BERTH_TRY(Function function, index_of(def));
    if (!library.emplace(def.name, std::move(function)).second)
      return bad_input("two functions are named '{}'", def.name);
  }
  return library;
}

Result<std::vector<Call>> calls_of(const NodeDef& node, const Bindings* bindings, const Library& library) {
  return CallReader(node, bindings, library).read();
}

}  // namespace berth::tensorflow

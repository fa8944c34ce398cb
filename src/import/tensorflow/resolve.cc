// SPDX-License-Identifier: Apache-2.0
#include "import/tensorflow/resolve.h"

#include <algorithm>

#include "files/json/json_reader.h"
#include "import/tensorflow/op_kinds.h"

namespace berth::tensorflow {
namespace {

constexpr int kMostHops = 1000;  // of one input through calls
constexpr std::size_t kMostHopsOfAll = 10'000'000;
constexpr std::size_t kMostUnknownOutputs = 64;    // of one node
constexpr std::size_t kMostWaitedFor = 4'000'000;  // of all nodes that wait for one call

}  // namespace

std::uint32_t Resolver::position(const NodeDef& node, const InputText& input) {
  if (input.output.empty()) return input.index;
  const int known = output_position(node.op, input.output);
  if (known >= 0) return static_cast<std::uint32_t>(known) + input.index;
  std::vector<std::string_view>& seen = seen_outputs_[&node];
  auto found = std::ranges::find(seen, input.output);
  if (found == seen.end() && seen.size() == kMostUnknownOutputs) return input.index;
  if (found == seen.end()) found = seen.insert(seen.end(), input.output);
  return static_cast<std::uint32_t>(found - seen.begin()) + input.index;
}

Result<std::size_t> Resolver::output_of_call(const Scope& callee, const InputText& input, std::string_view user) {
  const Function& function = *callee.call.function;
  std::size_t output = input.index;
  if (callee.call.by_name && !input.output.empty()) {
    const auto found = function.outputs.find(input.output);
    output = found != function.outputs.end() ? found->second : function.returns.size();
  }
  if (output >= function.returns.size()) {
    return bad_input("node '{}': it takes output {} of '{}', but function '{}' has {}", user, input.index,
                     callee.caller->name, function.def->name, function.returns.size());
  }
  return output;
}

Result<TensorRef> Resolver::data(const Scope& from, std::string_view text, std::string_view user) {
  const Scope* scope = &from;
  for (int hop = 0; hop < kMostHops && hops_ < kMostHopsOfAll; ++hop, ++hops_) {
    const auto input = parse_input(text);
    if (!input) return no_such_input(user, text);
    if (scope->is_function()) {
      const auto argument = scope->call.function->inputs.find(input->node);
      if (argument != scope->call.function->inputs.end()) {
        text = scope->caller->inputs[scope->call.first_input + argument->second];
        scope = scope->parent;
        continue;
      }
    }
    const auto found = scope->by_name.find(input->node);
    if (found == scope->by_name.end()) return no_such_input(user, text);
    const std::uint32_t node = found->second;
    if (scope->flat[node] != Scope::kNoFlatNode) {
      return TensorRef{scope->flat[node], position(scope->nodes[node], *input)};
    }
    const auto callee = scope->callees.find(node);
    if (callee == scope->callees.end()) return no_such_input(user, text);
    BERTH_TRY(const std::size_t output, output_of_call(*callee->second, *input, user));
    scope = callee->second;
    text = scope->call.function->returns[output];
  }
  return bad_input("node '{}': its input goes through too many calls", user);
}

Status Resolver::read_ends(Scope& scope) {
  if (scope.ends_with) return {};
  std::vector<std::uint32_t> ends;
  const FunctionDef& function = *scope.call.function->def;
  for (const std::string_view name : function.control_returns) {
    BERTH_RETURN_IF_ERROR(control(scope, name, scope.caller->name, ends));
  }
  for (const std::string_view source : scope.call.function->returns) {
    BERTH_TRY(const TensorRef tensor, data(scope, source, scope.caller->name));
    ends.push_back(tensor.node);
  }
  std::ranges::sort(ends);
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  scope.ends_with = std::move(ends);
  return {};
}

Status Resolver::control(Scope& scope, std::string_view name, std::string_view user,
                         std::vector<std::uint32_t>& nodes) {
  const auto found = scope.by_name.find(name);
  if (found == scope.by_name.end()) return no_such_input(user, name);
  const std::uint32_t flat = scope.flat[found->second];
  if (flat != Scope::kNoFlatNode) {
    nodes.push_back(flat);
    return {};
  }
  const auto callee = scope.callees.find(found->second);
  if (callee == scope.callees.end()) return no_such_input(user, name);
  BERTH_RETURN_IF_ERROR(read_ends(*callee->second));
  const std::vector<std::uint32_t>& ends = *callee->second->ends_with;
  if (nodes.size() + ends.size() > kMostWaitedFor) return bad_input("node '{}': it waits for too many nodes", user);
  nodes.insert(nodes.end(), ends.begin(), ends.end());
  return {};
}

bool Resolver::is_inside(const Scope& scope, std::string_view text) {
  const auto input = parse_input(is_control(text) ? text.substr(1) : text);
  return input && !(scope.is_function() && scope.call.function->inputs.contains(input->node));
}

}  // namespace berth::tensorflow

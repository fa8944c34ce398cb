// SPDX-License-Identifier: Apache-2.0
// From names to numbers: where names of a file mean something (Scope), and which flat node an input of a scope's node
// is, through any number of calls (Resolver).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "import/tensorflow/calls.h"
#include "import/tensorflow/flat_graph.h"

namespace berth::tensorflow {

// The graph itself, or one inlined call of a function.
struct Scope {
  static constexpr std::uint32_t kNoFlatNode = 0xffffffffU;  // it is a call, or left out

  std::span<const NodeDef> nodes = {};
  std::unordered_map<std::string_view, std::uint32_t> by_name = {};  // position in nodes
  std::vector<std::uint32_t> flat = {};                              // per node: number of the flat node
  std::unordered_map<std::uint32_t, Scope*> callees = {};            // per node that is a call

  // Of a call; the graph itself has none of them.
  Scope* parent = nullptr;
  const NodeDef* caller = nullptr;
  Call call = {};
  const Bindings* bindings = nullptr;
  std::string prefix = {};       // of the names of its nodes
  std::string_view device = {};  // for nodes that have none
  int depth = 0;
  std::uint32_t loop_depth = 0;
  bool in_condition = false;                                 // of a loop
  std::vector<std::uint32_t> starts_after = {};              // flat nodes that the call waits for
  std::optional<std::vector<std::uint32_t>> ends_with = {};  // flat nodes that whoever waits for the call waits for

  [[nodiscard]] bool is_function() const { return caller != nullptr; }
};

class Resolver {
 public:
  // What an input stands for; `user` is named in errors.
  Result<TensorRef> data(const Scope& scope, std::string_view input, std::string_view user);
  // Appends the nodes to wait for, for a node's name without its '^'.
  Status control(Scope& scope, std::string_view name, std::string_view user, std::vector<std::uint32_t>& nodes);
  // Whether an input is made inside the scope, rather than an argument of it.
  static bool is_inside(const Scope& scope, std::string_view input);

 private:
  Status read_ends(Scope& scope);
  std::uint32_t position(const NodeDef& node, const InputText& input);
  static Result<std::size_t> output_of_call(const Scope& callee, const InputText& input, std::string_view user);

  // Outputs by name of ops that we do not know, in the order in which they turn up.
  std::unordered_map<const NodeDef*, std::vector<std::string_view>> seen_outputs_;
  std::size_t hops_ = 0;  // of all inputs through calls
};

}  // namespace berth::tensorflow

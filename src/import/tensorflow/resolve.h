// SPDX-License-Identifier: Apache-2.0
// From names to numbers: which flat node an input of a scope's node is, through any number of calls.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "import/tensorflow/flat_graph.h"
#include "import/tensorflow/scope.h"

namespace berth::tensorflow {

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

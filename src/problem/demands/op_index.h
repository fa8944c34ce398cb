// SPDX-License-Identifier: Apache-2.0
// Ops by what people and other programs call them. OpNames finds them by names, OpIndex says which a selector stands
// for:
//
//   encoder.fc      the op of that name
//   encoder.*       every op whose name matches: * stands for any characters, also for none
//   type:MatMul     every op of that type; the type may hold *
//   module:a.b      every op in that module or in one inside it, but inputs, which come from outside; may hold *
//   role:input      every op of that role: compute, parameter, buffer, constant, input, view
//
// An op whose name is exactly the selector comes first, whatever characters it holds.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "graph/graph.h"

namespace berth {

// Whether a pattern, in which * stands for any characters, matches the whole text. Cost: at most the product of the
// lengths.
bool matches(std::string_view pattern, std::string_view text);

// The shortest leading part of a module path, up to a dot, a slash or its end, that the pattern matches; "" if none.
std::string_view matching_module(std::string_view pattern, std::string_view path);

class OpIndex {
 public:
  explicit OpIndex(const Graph& graph);  // must outlive it

  // Ascending; an error, with the nearest name, when there is none.
  [[nodiscard]] Result<std::vector<OpId>> select(std::string_view selector) const;
  // The ops of each module that the pattern matches, without inputs, in the order of their first ops; an error when
  // there is none.
  [[nodiscard]] Result<std::vector<std::vector<OpId>>> modules(std::string_view pattern) const;
  // Ascending, perhaps none.
  [[nodiscard]] std::vector<OpId> of_type(std::string_view pattern) const;

 private:
  [[nodiscard]] Result<std::vector<OpId>> of_role(std::string_view name) const;
  [[nodiscard]] std::vector<OpId> of_name(std::string_view pattern) const;
  [[nodiscard]] Error no_such_op(std::string_view name) const;
  [[nodiscard]] Error no_such_type(std::string_view type) const;
  [[nodiscard]] Error no_such_module(std::string_view module) const;

  const Graph& graph_;
  std::unordered_map<std::string_view, OpId> by_name_;
  std::vector<std::vector<OpId>> by_type_;  // indexed by Graph::type_index
};

// Ops by what other programs call them. Points into the graph, which must outlive it.
class OpNames {
 public:
  explicit OpNames(const Graph& graph);

  // The op of that name, else the one compute op of that label; kNoOp if there is none.
  [[nodiscard]] OpId find(std::string_view name) const;

  // The compute ops that PyTorch makes by this call, in the order of the graph: those of the type "aten.mm" with any
  // overload for "aten::mm".
  [[nodiscard]] std::span<const OpId> made_by(std::string_view call) const;

 private:
  std::unordered_map<std::string_view, OpId> by_name_, by_label_;
  std::unordered_map<std::string, std::vector<OpId>> by_call_;
};

}  // namespace berth

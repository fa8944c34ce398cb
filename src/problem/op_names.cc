// SPDX-License-Identifier: Apache-2.0
#include "problem/op_names.h"

#include <fmt/format.h>

namespace berth {
namespace {

// "aten::mm" for "aten.mm.default" and "aten.mm"; empty for types without a dot.
std::string call_of_type(std::string_view type) {
  const std::size_t dot = type.find('.');
  if (dot == std::string_view::npos) return {};
  const std::string_view rest = type.substr(dot + 1);
  return fmt::format("{}::{}", type.substr(0, dot), rest.substr(0, rest.find('.')));
}

}  // namespace

OpNames::OpNames(const Graph& graph) {
  std::vector<std::string> call_of(graph.types().size());
  for (std::size_t type = 0; type < call_of.size(); ++type) call_of[type] = call_of_type(graph.types()[type]);
  by_name_.reserve(graph.num_ops());
  for (const OpId op : graph.ops()) {
    by_name_.emplace(graph.name(op), op);
    if (graph.role(op) != Role::kCompute) continue;
    if (const std::string& label = graph.label(op); !label.empty()) {
      const auto [entry, is_new] = by_label_.emplace(label, op);
      if (!is_new) entry->second = kNoOp;  // says nothing
    }
    if (const std::string& call = call_of[graph.type_index(op)]; !call.empty()) by_call_[call].push_back(op);
  }
}

OpId OpNames::find(std::string_view name) const {
  if (const auto found = by_name_.find(name); found != by_name_.end()) return found->second;
  const auto found = by_label_.find(name);
  return found != by_label_.end() ? found->second : kNoOp;
}

std::span<const OpId> OpNames::made_by(std::string_view call) const {
  const auto found = by_call_.find(std::string(call));
  return found != by_call_.end() ? std::span<const OpId>(found->second) : std::span<const OpId>();
}

}  // namespace berth

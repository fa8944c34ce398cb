// SPDX-License-Identifier: Apache-2.0
#include "problem/demands/op_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>

#include "base/text.h"

namespace berth {
namespace {

constexpr std::string_view kType = "type:", kModule = "module:", kRole = "role:";
constexpr std::string_view kModuleEnds = "./";
constexpr std::size_t kMostModules = 20'000;  // among which the nearest name is looked for
constexpr std::array kRoles{Role::kCompute,  Role::kParameter, Role::kBuffer,
                            Role::kConstant, Role::kInput,     Role::kView};

bool has_star(std::string_view pattern) { return pattern.find('*') != std::string_view::npos; }

// "aten::mm" for "aten.mm.default" and "aten.mm"; empty for types without a dot.
std::string call_of_type(std::string_view type) {
  const std::size_t dot = type.find('.');
  if (dot == std::string_view::npos) return {};
  const std::string_view rest = type.substr(dot + 1);
  return fmt::format("{}::{}", type.substr(0, dot), rest.substr(0, rest.find('.')));
}

}  // namespace

bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0;
  std::size_t star = std::string_view::npos, resume = 0;  // the last star, and where its text ends so far
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string_view matching_module(std::string_view pattern, std::string_view path) {
  if (!has_star(pattern)) {
    if (pattern.empty() || !path.starts_with(pattern)) return {};
    const bool ends = path.size() == pattern.size() || kModuleEnds.find(path[pattern.size()]) != std::string_view::npos;
    return ends ? pattern : std::string_view();
  }
  for (std::size_t end = 0; end < path.size(); ++end) {
    end = std::min(path.find_first_of(kModuleEnds, end), path.size());
    if (end > 0 && matches(pattern, path.substr(0, end))) return path.substr(0, end);
  }
  return {};
}

OpIndex::OpIndex(const Graph& graph) : graph_(graph), by_type_(graph.types().size()) {
  by_name_.reserve(graph.num_ops());
  for (const OpId op : graph.ops()) {
    by_name_.emplace(graph.name(op), op);
    by_type_[graph.type_index(op)].push_back(op);
  }
}

Result<std::vector<OpId>> OpIndex::select(std::string_view selector) const {
  if (const auto found = by_name_.find(selector); found != by_name_.end()) return std::vector<OpId>{found->second};
  if (selector.starts_with(kRole)) return of_role(selector.substr(kRole.size()));
  if (selector.starts_with(kType)) {
    std::vector<OpId> ops = of_type(selector.substr(kType.size()));
    if (ops.empty()) return no_such_type(selector.substr(kType.size()));
    return ops;
  }
  if (selector.starts_with(kModule)) {
    std::vector<OpId> ops;
    BERTH_TRY(const auto found, modules(selector.substr(kModule.size())));
    for (const std::vector<OpId>& module : found) ops.insert(ops.end(), module.begin(), module.end());
    std::ranges::sort(ops);
    return ops;
  }
  std::vector<OpId> ops = of_name(selector);
  if (ops.empty()) return no_such_op(selector);
  return ops;
}

Result<std::vector<std::vector<OpId>>> OpIndex::modules(std::string_view pattern) const {
  std::unordered_map<const std::string*, std::string_view> matched;  // paths are kept once each, so this is quick
  std::unordered_map<std::string_view, std::size_t> position;
  std::vector<std::vector<OpId>> found;
  for (const OpId op : graph_.ops()) {
    if (graph_.role(op) == Role::kInput) continue;
    const std::string& path = graph_.module(op);
    const auto [entry, is_new] = matched.try_emplace(&path);
    if (is_new) entry->second = matching_module(pattern, path);
    if (entry->second.empty()) continue;
    const auto [place, is_first] = position.try_emplace(entry->second, found.size());
    if (is_first) found.emplace_back();
    found[place->second].push_back(op);
  }
  if (found.empty()) return no_such_module(pattern);
  return found;
}

std::vector<OpId> OpIndex::of_type(std::string_view pattern) const {
  std::vector<OpId> ops;
  for (std::size_t type = 0; type < by_type_.size(); ++type) {
    if (matches(pattern, graph_.types()[type])) ops.insert(ops.end(), by_type_[type].begin(), by_type_[type].end());
  }
  std::ranges::sort(ops);
  return ops;
}

Result<std::vector<OpId>> OpIndex::of_role(std::string_view name) const {
  std::vector<std::string_view> names;
  for (const Role role : kRoles) names.push_back(name_of(role));
  const auto role = role_from_name(name);
  if (!role) return bad_input("no role '{}'; there are: {}{}", name, fmt::join(names, ", "), did_you_mean(name, names));
  std::vector<OpId> ops;
  for (const OpId op : graph_.ops()) {
    if (graph_.role(op) == *role) ops.push_back(op);
  }
  if (ops.empty()) return bad_input("'{}' has no op of the role '{}'", graph_.title(), name);
  return ops;
}

std::vector<OpId> OpIndex::of_name(std::string_view pattern) const {
  std::vector<OpId> ops;
  if (!has_star(pattern)) return ops;  // an exact name was looked for before
  for (const OpId op : graph_.ops()) {
    if (matches(pattern, graph_.name(op))) ops.push_back(op);
  }
  return ops;
}

// The commonest slips are a type or a module without its prefix.
Error OpIndex::no_such_op(std::string_view name) const {
  if (has_star(name)) return bad_input("no op of '{}' has a name like '{}'", graph_.title(), name);
  if (!of_type(name).empty()) return bad_input("no op named '{}'; did you mean 'type:{}'?", name, name);
  if (modules(name)) return bad_input("no op named '{}'; did you mean 'module:{}'?", name, name);
  std::vector<std::string_view> names;
  for (const OpId op : graph_.ops()) names.push_back(graph_.name(op));
  return bad_input("no op named '{}' in '{}'{}", name, graph_.title(), did_you_mean(name, names));
}

Error OpIndex::no_such_type(std::string_view type) const {
  return bad_input("no op of the type '{}' in '{}'{}", type, graph_.title(), did_you_mean(type, graph_.types()));
}

Error OpIndex::no_such_module(std::string_view module) const {
  std::unordered_set<std::string_view> paths;  // of all modules, also of those that only hold others
  for (const OpId op : graph_.ops()) {
    const std::string_view path = graph_.module(op);
    for (std::size_t end = path.size(); end != std::string_view::npos && end > 0 && paths.size() < kMostModules;
         end = path.find_last_of(kModuleEnds, end - 1)) {
      if (!paths.insert(path.substr(0, end)).second) break;
    }
  }
  std::vector<std::string_view> near(paths.begin(), paths.end());
  std::ranges::sort(near);
  return bad_input("no module '{}' in '{}'{}{}", module, graph_.title(), did_you_mean(module, near),
                   near.empty() ? "; its ops name no modules" : "");
}

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

// SPDX-License-Identifier: Apache-2.0
#include "graph/module_path.h"

#include <algorithm>

namespace berth {

std::string_view block_of(std::string_view path) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    const std::string_view part = path.substr(begin, end - begin);
    if (!part.empty() && std::ranges::all_of(part, is_digit)) return path.substr(0, end);
    begin = end + 1;
  }
  return path;
}

bool is_around(std::string_view module, std::string_view path) {
  if (module.empty()) return true;
  return path.starts_with(module) && (path.size() == module.size() || path[module.size()] == '.');
}

std::optional<std::string_view> below(std::string_view prefix, std::string_view path) {
  if (prefix.empty()) return path;
  if (!is_around(prefix, path)) return std::nullopt;
  path.remove_prefix(std::min(prefix.size() + 1, path.size()));
  return path;
}

std::string_view parent_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

std::string_view path_of(const Graph& graph, OpId op) {
  if (!graph.module(op).empty()) return graph.module(op);
  return is_resident(graph.role(op)) ? parent_of(graph.label(op)) : std::string_view();
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include "import/pt2/module_stack.h"

#include <algorithm>
#include <cctype>

namespace berth {
namespace {

// The text up to the next separator outside parentheses and brackets ("slice(1, None, None)"); takes both off `rest`.
std::string_view next_field(std::string_view& rest, char separator) {
  int depth = 0;
  std::size_t end = 0;
  for (; end < rest.size(); ++end) {
    const char c = rest[end];
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') depth = std::max(depth - 1, 0);
    if (c == separator && depth == 0) break;
  }
  const std::string_view field = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return field;
}

// "L['self']", as dynamo calls the first argument of forward(), whose name is the author's choice; else empty.
std::string_view local_name(std::string_view path) {
  constexpr std::string_view kBegin = "L['", kEnd = "']";
  if (!path.starts_with(kBegin)) return {};
  const std::size_t end = path.find(kEnd, kBegin.size());
  return end == std::string_view::npos ? std::string_view() : path.substr(0, end + kEnd.size());
}

std::string_view without_root(std::string_view path) {
  for (const std::string_view root : {local_name(path), std::string_view("L__self__"), std::string_view("self")}) {
    if (root.empty()) continue;
    if (path == root) return {};
    if (path.starts_with(root) && (path[root.size()] == '.' || path[root.size()] == '['))
      return path.substr(root.size());
  }
  return path;
}

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Whether path[at] opens an index: [0] or ['name'].
bool is_index(std::string_view path, std::size_t at) {
  return path[at] == '[' && at + 1 < path.size() && (is_digit(path[at + 1]) || path[at + 1] == '\'');
}

}  // namespace

std::string innermost_module(std::string_view nn_module_stack) {
  std::string_view entry;
  while (!nn_module_stack.empty()) entry = next_field(nn_module_stack, ';');
  next_field(entry, ',');  // the key
  const std::string_view path = without_root(next_field(entry, ','));
  std::string plain;
  for (std::size_t at = 0; at < path.size(); ++at) {
    if (path[at] == '@') {
      while (at + 1 < path.size() && is_digit(path[at + 1])) ++at;
    } else if (is_index(path, at)) {
      plain += '.';
      const std::size_t end = std::min(path.find(']', at), path.size());
      for (++at; at < end; ++at) {
        if (path[at] != '\'') plain += path[at];
      }
    } else {
      plain += path[at];
    }
  }
  if (plain.starts_with('.')) plain.erase(0, 1);
  return plain;
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include "plan/layer_names.h"

#include <algorithm>
#include <map>
#include <memory>

namespace berth {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Tree of all paths, one node per component.
struct Node {
  std::map<std::string, std::unique_ptr<Node>, std::less<>> children;
  bool number_below = false;
};

std::string_view first_component(std::string_view path) { return path.substr(0, path.find('.')); }

std::string_view after_first(std::string_view path) {
  const std::size_t dot = path.find('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
}

void insert(Node& root, std::string_view path) {
  Node* node = &root;
  for (; !path.empty(); path = after_first(path)) {
    const std::string_view component = first_component(path);
    if (is_number(component)) node->number_below = true;
    auto found = node->children.find(component);
    if (found == node->children.end()) {
      found = node->children.emplace(std::string(component), std::make_unique<Node>()).first;
    }
    node = found->second.get();
  }
}

bool spread_number_below(Node& node) {
  for (auto& [name, child] : node.children) node.number_below = spread_number_below(*child) || node.number_below;
  return node.number_below;
}

// The node where paths part: the only child is followed while it is a container that is no number.
const Node* skip_common(const Node* node, std::string& prefix) {
  while (node->children.size() == 1) {
    const auto& [name, child] = *node->children.begin();
    if (child->children.empty() || is_number(name)) break;
    prefix += name + ".";
    node = child.get();
  }
  return node;
}

std::string name_below(const Node* node, std::string prefix, std::string_view path) {
  for (; !path.empty(); path = after_first(path)) {
    const std::string_view component = first_component(path);
    node = node->children.find(component)->second.get();
    prefix += component;
    if (is_number(component) || !node->number_below) return prefix;
    prefix += '.';
  }
  return "";
}

}  // namespace

std::vector<std::string> layer_names(std::span<const std::string> paths) {
  Node root;
  for (const std::string& path : paths) insert(root, path);
  spread_number_below(root);
  std::string common;
  const Node* start = skip_common(&root, common);
  std::vector<std::string> names;
  names.reserve(paths.size());
  for (const std::string& path : paths) {
    const bool inside = path.size() > common.size() && path.starts_with(common);
    names.push_back(inside ? name_below(start, common, std::string_view(path).substr(common.size())) : "");
  }
  return names;
}

std::string module_of_label(std::string_view label) {
  const std::size_t dot = label.rfind('.');
  if (dot == std::string_view::npos) return std::string(label);
  std::string module(label.substr(0, dot));
  std::string_view leaf = label.substr(dot + 1);
  if (leaf.ends_with("_reverse")) leaf.remove_suffix(std::string_view("_reverse").size());
  const std::size_t mark = leaf.rfind("_l");
  if (mark != std::string_view::npos && is_number(leaf.substr(mark + 2))) {
    module += '.';
    module += leaf.substr(mark + 2);
  }
  return module;
}

}  // namespace berth

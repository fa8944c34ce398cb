// SPDX-License-Identifier: Apache-2.0
#include "plan/layers/layer_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <map>
#include <memory>

namespace berth {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// What stands before the number at its end, and before the signs that join them: "encoder_layer" of "encoder_layer_9".
std::string_view without_number(std::string_view text) {
  const std::string_view head = text.substr(0, text.find_last_not_of("0123456789") + 1);
  return head.size() == text.size() ? text : head.substr(0, head.find_last_not_of("_-") + 1);
}

constexpr std::string_view kSeparators = "./:[]";
constexpr std::array<std::string_view, 6> kLayerWords{"layer", "block", "bottleneck", "cell", "unit", "residual"};
constexpr std::array<std::string_view, 6> kStageWords{"stage", "encoder", "decoder", "transformer", "level", "group"};

enum class Ending : std::uint8_t { kOther, kNumber, kLayer, kStage };

// What the end of a component says: "3", "_3"; "encoder_layer_9", "h_3"; "stage_2".
Ending ending_of(std::string_view component) {
  const std::string_view stem = without_number(component);
  if (stem.size() == component.size()) return Ending::kOther;
  if (stem.empty()) return Ending::kNumber;
  std::string word(without_number(stem));  // "block1-0"
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
  if (word.ends_with('s')) word.pop_back();
  const auto ends_with = [&](std::string_view known) { return word.ends_with(known); };
  if (word == "h" || std::ranges::any_of(kLayerWords, ends_with)) return Ending::kLayer;
  return std::ranges::any_of(kStageWords, ends_with) ? Ending::kStage : Ending::kOther;
}

// Takes the components of a path one by one; end() is where the last one ends in it, with its closing bracket.
class Components {
 public:
  explicit Components(std::string_view path) : path_(path) {}

  std::string_view next() {
    const std::size_t begin = path_.find_first_not_of(kSeparators, end_);
    if (begin == std::string_view::npos) return {};
    end_ = std::min(path_.find_first_of(kSeparators, begin), path_.size());
    const std::string_view component = path_.substr(begin, end_ - begin);
    if (end_ < path_.size() && path_[end_] == ']') ++end_;
    return component;
  }
  [[nodiscard]] std::size_t end() const { return end_; }

 private:
  std::string_view path_;
  std::size_t end_ = 0;
};

// Tree of all paths, one node per component.
struct Node {
  std::map<std::string, std::unique_ptr<Node>, std::less<>> children;
  std::string name;  // the path to it, as the first one that came here writes it
  Ending ending = Ending::kOther;
  bool is_layer = false, layer_below = false;
};

void insert(Node& root, std::string_view path) {
  Node* node = &root;
  Components components(path);
  for (std::string_view component = components.next(); !component.empty(); component = components.next()) {
    auto found = node->children.find(component);
    if (found == node->children.end()) {
      found = node->children.emplace(std::string(component), std::make_unique<Node>()).first;
      found->second->name = path.substr(0, components.end());
      found->second->ending = ending_of(component);
    }
    node = found->second.get();
  }
}

// "0" behind "layer1", or "block1-0" behind "block1".
bool is_numbered_part(const Node& child, std::string_view component, std::string_view parent) {
  return child.ending == Ending::kNumber || (child.ending != Ending::kOther && without_number(component) == parent);
}

void find_layers_below(Node& node, std::string_view name) {
  bool numbers_follow = false;
  for (auto& [component, child] : node.children) {
    find_layers_below(*child, component);
    numbers_follow = numbers_follow || is_numbered_part(*child, component, name);
    node.layer_below = node.layer_below || child->is_layer || child->layer_below;
  }
  node.is_layer = node.ending == Ending::kNumber || (node.ending == Ending::kLayer && !numbers_follow) ||
                  (node.ending == Ending::kStage && !node.layer_below);
}

// The node where paths part: the only child is followed while it is a container that is no layer.
const Node* skip_common(const Node* node) {
  while (node->children.size() == 1) {
    const Node* child = node->children.begin()->second.get();
    if (child->children.empty() || child->is_layer) break;
    node = child;
  }
  return node;
}

// The layer that a path names, if it leads through the node where paths part.
std::string name_below(const Node& root, const Node* start, std::string_view path) {
  const Node* node = &root;
  bool inside = node == start;
  Components components(path);
  for (std::string_view component = components.next(); !component.empty(); component = components.next()) {
    node = node->children.find(component)->second.get();
    if (inside && (node->is_layer || !node->layer_below)) return node->name;
    inside = inside || node == start;
  }
  return "";
}

}  // namespace

std::string_view first_component(std::string_view path) { return Components(path).next(); }

std::vector<std::string> layer_names(std::span<const std::string> paths) {
  Node root;
  for (const std::string& path : paths) insert(root, path);
  find_layers_below(root, "");
  const Node* start = skip_common(&root);
  std::vector<std::string> names;
  names.reserve(paths.size());
  for (const std::string& path : paths) names.push_back(name_below(root, start, path));
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

// SPDX-License-Identifier: Apache-2.0
#include "export/joined_modules.h"

#include "graph/module_path.h"

namespace berth {
namespace {

class JoinedModules {
 public:
  JoinedModules(const Graph& graph, std::string_view prefix) : graph_(graph), prefix_(prefix) { look_inside(); }

  std::set<std::string> find() const {
    std::set<std::string> joined;
    for (const OpId op : graph_.ops()) {
      const Role role = graph_.role(op);
      const auto module =
          role == Role::kCompute || role == Role::kView ? below(prefix_, graph_.module(op)) : std::nullopt;
      if (!module || module->empty() || block_of(*module) != *module || with_blocks_.contains(*module)) continue;
      if (reads_its_own(op, *module) || joins_leaves(op, *module)) joined.emplace(*module);
    }
    if (has_blocks_) {
      for (const std::string_view module : with_parts_) {
        if (!higher_.contains(module) && !with_blocks_.contains(module) && block_of(module) == module) {
          joined.emplace(module);
        }
      }
    }
    return joined;
  }

 private:
  void look_inside() {
    for (const OpId op : graph_.ops()) {
      const auto label = is_resident(graph_.role(op)) ? below(prefix_, graph_.label(op)) : std::nullopt;
      if (!label) continue;
      add_around(parent_of(parent_of(*label)), with_parts_);
      add_around(parent_of(parent_of(parent_of(*label))), higher_);
      if (block_of(*label) == *label) continue;
      has_blocks_ = true;
      add_around(parent_of(block_of(*label)), with_blocks_);
    }
  }

  static void add_around(std::string_view module, std::set<std::string_view>& modules) {
    for (; !module.empty(); module = parent_of(module)) modules.insert(module);
  }

  // A leaf reads its own too, but has no parts that could be elsewhere.
  bool reads_its_own(OpId op, std::string_view module) const {
    if (!with_parts_.contains(module)) return false;
    for (const TensorId input : graph_.inputs(op)) {
      const OpId from = graph_.producer(input);
      if (is_resident(graph_.role(from)) && below(prefix_, parent_of(graph_.label(from))) == module) return true;
    }
    return false;
  }

  bool joins_leaves(OpId op, std::string_view module) const {
    if (graph_.role(op) != Role::kCompute || higher_.contains(module)) return false;
    std::set<std::string_view> leaves;
    for (const TensorId input : graph_.inputs(op)) {
      const auto from = below(prefix_, path_of(graph_, graph_.producer(input)));  // folded ones have labels
      if (from && *from != module && is_around(module, *from) && block_of(*from) == *from) leaves.insert(*from);
    }
    return leaves.size() > 1;
  }

  const Graph& graph_;
  std::string_view prefix_;
  std::set<std::string_view> with_parts_;   // modules that hold others
  std::set<std::string_view> higher_;       // that hold more than leaves
  std::set<std::string_view> with_blocks_;  // that hold blocks
  bool has_blocks_ = false;                 // the model does, at any depth
};

}  // namespace

std::set<std::string> joined_modules(const Graph& graph, std::string_view prefix) {
  return JoinedModules(graph, prefix).find();
}

}  // namespace berth

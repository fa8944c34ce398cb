// SPDX-License-Identifier: Apache-2.0
// Small models written down node by node, and what becomes of them.
#pragma once

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "model/lower.h"
#include "model/model.h"
#include "model/sizes.h"
#include "support/op_named.h"

namespace berth {

class SmallModel {
 public:
  explicit SmallModel(Dialect dialect) { model_.dialect = dialect; }

  ValueIndex value(std::string name, std::initializer_list<std::int64_t> sizes, DType dtype = DType::kF32) {
    return model_.add({.name = std::move(name), .dtype = dtype, .shape = shape_of(sizes)});
  }
  ValueIndex leaf(Role role, std::string name, std::initializer_list<std::int64_t> sizes, DType dtype = DType::kF32) {
    const ValueIndex made = value(name, sizes, dtype);
    model_.leaves.push_back({.value = made, .role = role, .label = std::move(name)});
    return made;
  }
  ValueIndex input(std::string name, std::initializer_list<std::int64_t> sizes, DType dtype = DType::kF32) {
    return leaf(Role::kInput, std::move(name), sizes, dtype);
  }
  ValueIndex parameter(std::string name, std::initializer_list<std::int64_t> sizes) {
    return leaf(Role::kParameter, std::move(name), sizes);
  }
  // A node with one output of the node's name; the node can be changed until the next is added.
  ValueIndex node(std::string name, std::string type, std::vector<ValueIndex> inputs,
                  std::initializer_list<std::int64_t> sizes, DType dtype = DType::kF32) {
    const ValueIndex made = value(name, sizes, dtype);
    model_.nodes.push_back(
        {.name = std::move(name), .type = std::move(type), .inputs = std::move(inputs), .outputs = {made}});
    return made;
  }
  Node& last() { return model_.nodes.back(); }
  // Index of the node added last, for control edges.
  [[nodiscard]] std::uint32_t last_index() const { return static_cast<std::uint32_t>(model_.nodes.size() - 1); }
  void output(ValueIndex made) { model_.outputs.push_back(made); }
  Model& model() { return model_; }

  Lowered lower() {
    auto lowered = berth::lower(std::move(model_));
    if (!lowered) throw std::runtime_error(lowered.error().message);
    return *std::move(lowered);
  }

 private:
  Model model_;
};

inline Role role_of(const Graph& graph, std::string_view name) { return graph.role(op_named(graph, name)); }

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
// Random graphs that use everything a graph file can hold: odd names, all dtypes, every annotation.
#pragma once

#include <string>
#include <vector>

#include "base/rng.h"
#include "graph/builder.h"

namespace berth {

class RichGraphMaker {
 public:
  explicit RichGraphMaker(std::uint64_t seed) : rng_(seed), builder_(odd_text()) {}

  Result<Graph> make(std::size_t ops) {
    builder_.set_optimizer(static_cast<Optimizer>(rng_.below(3)));
    for (std::size_t i = 0; i < ops; ++i) add_op();
    for (const OpId parameter : parameters_) {
      if (rng_.chance(0.6)) add_update(parameter);
    }
    for (std::size_t op = 0; op < outputs_.size(); ++op) {
      if (outputs_[op] > 0 && rng_.chance(0.1)) builder_.mark_output({OpId(op), 0});
    }
    if (rng_.chance(0.3)) builder_.set_source_counts(1 + rng_.below(100), 1 + rng_.below(100));
    return std::move(builder_).build();
  }

 private:
  std::string odd_text() {
    static const std::vector<std::string> kPieces{"a",        "layer.", "/",      "\"",         "\\", "\n",    "\t",
                                                  "\x01\x7f", "\u00e9", "\u4e2d", "\U0001f6a2", " ",  "{}[],:"};
    std::string text;
    for (std::uint64_t i = rng_.below(4); i > 0; --i) text += kPieces[rng_.below(kPieces.size())];
    return text;
  }
  TensorSpec random_tensor() {
    TensorSpec tensor{static_cast<DType>(rng_.below(15)), {}};
    for (std::uint64_t rank = rng_.below(4); rank > 0; --rank) tensor.shape.push_back(rng_.between(0, 300));
    return tensor;
  }
  void annotate(OpSpec& op) {
    static const std::vector<double> kFlops{0, 1, 2.5, 1e-3, 123456789012345.0, 9.1e15, 1.7e22, 1.0 / 3.0};
    op.flops = kFlops[rng_.below(kFlops.size())];
    if (rng_.chance(0.3)) op.bytes_touched = rng_.between(0, 1'000'000);
    if (rng_.chance(0.2)) op.allowed = static_cast<KindSet>(1 + rng_.below(kAnyKind));
  }
  void add_op() {
    const std::size_t id = builder_.num_ops();
    OpSpec op;
    const std::string name = fmt::format("{}{}", odd_text(), id), type = odd_text(), module = odd_text(),
                      label = odd_text(), attributes = odd_text();
    const std::string group = rng_.chance(0.2) ? fmt::format("g{}", rng_.below(4)) : "";
    op.name = name, op.type = type, op.module = module, op.label = label, op.attributes = attributes,
    op.colocate = group;
    annotate(op);
    op.role = static_cast<Role>(rng_.below(6));
    for (std::uint64_t i = rng_.below(3); i > 0; --i) op.outputs.push_back(random_tensor());
    if (op.role == Role::kCompute || op.role == Role::kView) {
      for (std::uint64_t i = rng_.below(4); i > 0; --i) add_input(op);
      if (op.role == Role::kView && op.inputs.empty()) op.role = Role::kCompute;
      if (id > 0 && rng_.chance(0.2)) op.control_inputs.push_back(OpId(rng_.below(id)));
      if (id > 0 && rng_.chance(0.2)) op.forward_of = OpId(rng_.below(id));
    }
    if (op.role == Role::kParameter) parameters_.push_back(OpId(id));
    if (op.role == Role::kCompute && !op.outputs.empty()) computed_.push_back(OpId(id));
    outputs_.push_back(op.outputs.size());
    const OpId added = builder_.add(op);
    for (const char* model : {"h200", "xeon-16c", "odd \"model\""}) {
      if (rng_.chance(0.3)) builder_.set_measured(model, added, rng_.uniform() * (rng_.chance(0.5) ? 1e-6 : 3.0));
    }
  }
  void add_input(OpSpec& op) {
    if (outputs_.empty()) return;
    const std::size_t from = rng_.below(outputs_.size());
    if (outputs_[from] > 0) op.inputs.push_back({OpId(from), static_cast<int>(rng_.below(outputs_[from]))});
  }
  void add_update(OpId parameter) {
    const std::string name = fmt::format("update {}", index(parameter));
    OpSpec op{.name = name, .type = "sgd", .updates = parameter};
    if (outputs_[index(parameter)] > 0) op.inputs.push_back({parameter, 0});
    if (!computed_.empty()) op.inputs.push_back({computed_[rng_.below(computed_.size())], 0});  // no other parameter
    if (rng_.chance(0.3)) op.control_inputs.push_back(OpId(rng_.below(outputs_.size())));
    builder_.add(op);
  }

  Rng rng_;
  GraphBuilder builder_;
  std::vector<std::size_t> outputs_;  // how many each op has; updates have none and stand behind
  std::vector<OpId> parameters_, computed_;
};

}  // namespace berth

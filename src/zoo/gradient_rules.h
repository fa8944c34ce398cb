// SPDX-License-Identifier: Apache-2.0
// One gradient rule per kind of op (see zoo/autodiff.h).
#pragma once

#include <vector>

#include "zoo/model_builder.h"

namespace berth {

// The gradient found so far of every forward tensor.
class Gradients {
 public:
  explicit Gradients(std::size_t tensors) : slots_(tensors) {}
  [[nodiscard]] Tensor of(Tensor tensor) const { return slots_[tensor.id]; }
  void seed(Tensor tensor, Tensor gradient) { slots_[tensor.id] = gradient; }
  // Adds to what is there; the builder goes on with the origin `resume`.
  void accumulate(ModelBuilder& builder, Tensor tensor, Tensor gradient, Origin resume);

 private:
  std::vector<Tensor> slots_;
};

// What a rule sees of its forward op.
class OpGradient {
 public:
  OpGradient(ModelBuilder& builder, Gradients& gradients, const TapeEntry& entry)
      : b(builder), gradients_(gradients), entry_(entry) {}

  ModelBuilder& b;

  [[nodiscard]] OpKind kind() const { return entry_.kind; }
  [[nodiscard]] const Attributes& attributes() const { return entry_.attributes; }
  [[nodiscard]] std::size_t num_inputs() const { return entry_.num_inputs; }
  [[nodiscard]] std::size_t num_outputs() const { return entry_.num_outputs; }
  [[nodiscard]] Tensor in(std::size_t i) const { return b.tape_inputs(entry_)[i]; }
  [[nodiscard]] Tensor out(std::size_t i = 0) const {
    return output(entry_.first_output, static_cast<std::uint32_t>(i));
  }
  // Gradient of an output; empty when the loss does not depend on it.
  [[nodiscard]] Tensor grad(std::size_t i = 0) const { return gradients_.of(out(i)); }
  [[nodiscard]] bool needs(std::size_t i) const { return b.needs_gradient(in(i)); }
  // Gradient of an input; ignored for inputs that need none.
  void give(std::size_t i, Tensor gradient) {
    if (needs(i)) gradients_.accumulate(b, in(i), gradient, {entry_.op, entry_.module});
  }

 private:
  Gradients& gradients_;
  TapeEntry entry_;  // a copy: the tape may move
};

// Calls the rule of the op's kind; it is our mistake if there is none.
void apply_gradient_rule(OpGradient& op);
[[nodiscard]] bool has_gradient_rule(OpKind kind);

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include "zoo/autodiff.h"

#include <vector>

#include "zoo/gradient_rules.h"

namespace berth {
namespace {

struct UpdateKind {
  OpKind kind;
  int passes;  // times the parameter's bytes are read or written, gradient included
};

UpdateKind update_kind(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::kSgd:
      return {OpKind::kSgdUpdate, 3};  // read parameter and gradient, write parameter
    case Optimizer::kMomentum:
      return {OpKind::kMomentumUpdate, 5};  // and read and write the momentum
    case Optimizer::kAdam:
      return {OpKind::kAdamUpdate, 7};  // and both moments
  }
  return {OpKind::kSgdUpdate, 3};
}

bool any_gradient(const Gradients& gradients, const TapeEntry& entry) {
  for (std::uint32_t i = 0; i < entry.num_outputs; ++i) {
    if (gradients.of(output(entry.first_output, i))) return true;
  }
  return false;
}

}  // namespace

void Gradients::accumulate(ModelBuilder& builder, Tensor tensor, Tensor gradient, Origin resume) {
  Tensor& slot = slots_[tensor.id];
  if (!slot) {
    slot = gradient;
    return;
  }
  builder.start_gradient_of(builder.origin_of(tensor));
  slot = builder.grad_add(slot, gradient);
  builder.start_gradient_of(resume);
}

void add_training_step(ModelBuilder& builder, Optimizer optimizer) {
  const Tensor loss = builder.loss();
  BERTH_CHECK(static_cast<bool>(loss));
  Gradients gradients(builder.num_tensors());
  builder.start_gradient_of(builder.origin_of(loss));
  gradients.seed(loss, builder.ones_like(loss));
  for (std::size_t i = builder.tape().size(); i-- > 0;) {
    const TapeEntry& entry = builder.tape()[i];
    if (!any_gradient(gradients, entry)) continue;
    builder.start_gradient_of({entry.op, entry.module});
    OpGradient op(builder, gradients, entry);
    apply_gradient_rule(op);
  }
  const UpdateKind update = update_kind(optimizer);
  builder.set_optimizer(optimizer);
  for (const Tensor parameter : builder.parameters()) {
    const Tensor gradient = gradients.of(parameter);
    if (!gradient) continue;
    builder.emit_update(update.kind, parameter, gradient, update.passes * builder.bytes(parameter));
  }
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
// The general reverse pass: makes a training step out of a forward program. No model has a backward graph of its own.
//
// Idea: walk the tape backwards; each kind of op has one rule that turns the gradients of its outputs into gradients of
// its inputs, written in ModelBuilder's vocabulary. A rule reads what a framework would have saved (relu its output, a
// product its factors), so that lifetimes in memory are those of a real step. Gradients that meet are added pairwise
// (grad_add), latest use first. The seed is ones_like(loss), as in the captured graphs: the reverse pass starts when
// the loss is known. Every gradient op has `forward_of` = the op whose gradient it is part of (for grad_add: the
// producer of the tensor) and that op's module path. At the end one update op per parameter that the loss depends on.
#pragma once

#include "graph/types.h"
#include "zoo/model_builder.h"

namespace berth {

// The program must have a loss. Parameters the loss does not reach stay without update.
void add_training_step(ModelBuilder& builder, Optimizer optimizer);

}  // namespace berth

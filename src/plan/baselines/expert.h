// SPDX-License-Identifier: Apache-2.0
// `expert`: what a practised person does. `expert-layers` is the rule alone; `expert` also tries the first accelerator
// by itself, as the papers' experts did for small models, and keeps the better.
//
// The rule: in a recurrent model layer k of every stack goes to GPU k modulo their number, embeddings with the first
// layer, attention, softmax and loss on the last GPU. Any other model is cut into contiguous blocks of layers of about
// equal time, one per GPU, whose parameters fit. Gradients go with their forward ops, updates with their parameters; a
// CPU gets inputs and what no accelerator may run. Layers that read little but the same weight, such as an embedding
// and its softmax, come together on the device of one that reads it where the step is shorter for it, or as long and
// fewer bytes cross; every device keeps at least half of its layers. Layers come from module paths, else from parameter
// labels (plan/layers/layers.h); without either, blocks are cut from the topological order.
//
// Cost: linear in the graph, plus GPUs x layers^2; one evaluation (expert: two), and one more per GPU for each of at
// most 16 sets of tied layers that are on several. Source: the expert placements that the device-placement papers of
// 2017 and 2018 compare with.
// Where it loses: a feed-forward model in blocks runs one GPU at a time, so the rule only buys memory there; and nobody
// looks at activations when cutting blocks, so a block may still be out of memory.
#pragma once

#include "plan/planner.h"

namespace berth {

class ExpertLayersPlanner : public Planner {
 public:
  Result<Plan> plan(Search& search) override;
};

class ExpertPlanner : public Planner {
 public:
  Result<Plan> plan(Search& search) override;
};

}  // namespace berth

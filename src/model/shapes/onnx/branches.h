// SPDX-License-Identifier: Apache-2.0
// If of ONNX: one of its two branches takes its place, so that the ops inside can be placed one by one. A condition
// that is known, from constants or from shapes, decides; else the branch with more nodes is taken, and that is noted in
// Model::open_branches. Then the other branch may run as well, so its weights stay in memory (Model::held), where the
// If's last node is.
#pragma once

#include <vector>

#include "model/model.h"
#include "model/sizes.h"

namespace berth {

bool is_branching(const Node& node);

struct Branches {
  const Body& taken;
  const Body* other = nullptr;  // that may run instead; null: it never does
};

// Of a node for which is_branching() holds, once the values it reads are known.
Branches choose_branch(Model& model, const Node& node);

// What takes the place of `node`: the nodes of the branch in their order, then Identities for values that it just hands
// on. Its values and leaves join those of the model; `symbols` are the sizes that names have there.
std::vector<Node> write_out_branch(Model& model, const Node& node, const Body& branch, const DimSizes& symbols);

// Notes the weights that `other`, a branch of `node`, reads; `nodes` are those of the branch that was taken.
void hold_weights(Model& model, const Node& node, const Body& other, std::vector<Node>& nodes);

}  // namespace berth

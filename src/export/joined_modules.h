// SPDX-License-Identifier: Apache-2.0
// Modules that accelerate should keep on one device though they are no blocks.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "graph/graph.h"

namespace berth {

// Paths below `prefix` of the modules, without blocks inside, that
// - join what two of their leaves make: BERT's embeddings are a sum;
// - read parameters of their own: a token that is put in front of patches. Hooks of accelerate move what goes into a
//   module that is on one device; nobody moves what its own ops read if its parts are on several;
// - hold leaves alone, in a model that has blocks: the stem of a ResNet is of a class that transformers keeps whole.
std::set<std::string> joined_modules(const Graph& graph, std::string_view prefix);

}  // namespace berth

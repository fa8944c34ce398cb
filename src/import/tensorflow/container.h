// SPDX-License-Identifier: Apache-2.0
// What kind of file it is: a bare GraphDef, a MetaGraphDef (.meta) or a SavedModel with one or more meta graphs.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "import/tensorflow/graph_def.h"

namespace berth::tensorflow {

struct ChosenGraph {
  std::string_view graph;                 // bytes of a GraphDef
  std::vector<std::string_view> outputs;  // of the chosen signature, in the order of their keys
};

// Checks the bytes of the whole file (check_wire) and picks the graph. None of the three kinds says what it is; they
// differ in what their first fields hold.
Result<ChosenGraph> choose_graph(std::string_view bytes, const GraphChoice& choice);

}  // namespace berth::tensorflow

// SPDX-License-Identifier: Apache-2.0
// Colocation groups: nodes that name each other by "loc:@name" in their attribute `_class`, directly or in a chain.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "import/tensorflow/flat_graph.h"

namespace berth::tensorflow {

struct Colocation {
  std::vector<std::string_view> group;   // per node; empty if it is alone
  std::vector<std::string_view> device;  // per node: its own, else the only one that its group names
};

// Groups are counted among the nodes that are kept, and named after the member that the others name most often.
Colocation find_colocation(const FlatGraph& graph, const std::vector<char>& keeps);

}  // namespace berth::tensorflow

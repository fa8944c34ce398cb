// SPDX-License-Identifier: Apache-2.0
// Layout: where each op is drawn. A lane per part of the model (report/lanes.h), ordered by when it begins; from left
// to right the number of ops that must come before, so that edges point to the right; ops of one lane and column are
// stacked. Columns of many ops are wider. Linear in ops and edges: 100,000 ops take tens of milliseconds where layered
// layouts of graph libraries take minutes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace berth::report {

struct Layout {
  struct Lane {
    std::string name;
    float top = 0.0F, height = 0.0F;  // in rows
  };
  std::vector<Lane> lanes;  // from top to bottom
  std::uint32_t columns = 0;
  std::vector<float> column_x;  // where each column begins, and where the last one ends
  float rows = 0.0F;
  std::vector<std::uint32_t> lane_of;  // all per op
  std::vector<std::uint32_t> column;
  std::vector<float> top;     // in rows
  std::vector<float> height;  // at most one row
};

Layout lay_out(const Graph& graph);

}  // namespace berth::report

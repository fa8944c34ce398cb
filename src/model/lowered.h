// SPDX-License-Identifier: Apache-2.0
// Lowered: the graph that lower() (model/lower.h) made of a model, and what had to be assumed about it. Apart from the
// model itself, so that those who only want the graph need not know what a model is made of.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "graph/builder.h"
#include "graph/graph.h"

namespace berth {

// Size of every dimension that the user names.
using DimSizes = std::map<std::string, std::int64_t>;

enum class DimSource : std::uint8_t {
  kUser,
  kFile,     // the size during the export
  kAssumed,  // nobody says: 1
};

struct NamedDim {
  std::string name = {};
  std::int64_t size = 1;
  DimSource source = DimSource::kAssumed;
  std::size_t uses = 0;    // dimensions that have the name, alone or in an expression
  std::string where = {};  // the first of them, those of inputs before others: "x[0]"
};

// A graph output and its name in the file.
struct NamedOutput {
  std::string name;
  OutputRef tensor;
};

// What is not as the file says it, for people, and what a graph has no names for.
struct LowerReport {
  std::vector<NamedOutput> outputs;                 // in the order of the file
  std::vector<NamedDim> dims;                       // all that have a name and a size
  std::map<std::string, std::size_t> assumed_dims;  // those of them that count as 1 for want of a size, and their uses
  std::vector<std::string> unknown_shapes;          // values whose sizes are not known at all: they count as nothing
  std::map<std::string, std::size_t>
      unknown_types;  // not in the op table: priced by bytes, and how many nodes have them
  // Nodes with subgraphs of which the file does not say which branch runs (the larger one counts), or loops of which
  // neither the file nor the user says how often they turn (once counts).
  std::vector<std::string> open_branches, open_loops;
  std::map<std::string, std::string> branches_taken;  // by the names in open_branches: "then", "else" or a function
  std::map<std::string, std::size_t> left_out;        // nodes of the file that are no part of the step, by reason
};

struct Lowered {
  Graph graph;
  LowerReport report;
  std::vector<std::string> device_of;  // per op of the graph, as the file says it; empty if the file places nothing
};

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
// lower(): a Graph from a Model, the same way for every framework. What types mean stands in the op table
// (ops/op_table.h).
//
// - Named dimensions get the sizes the user gives, else those of the export; the others count as 1 and are reported
//   (model/sizes.h). Shapes that the file does not state follow by the rules of its dialect (model/shapes/shapes.h).
// - What depends on constants alone is folded away (model/fold.h): it becomes a constant (parameters keep their role
//   through casts, transposes and the like), resident and without cost.
// - Quantised patterns of ONNX are priced as the kernels that runtimes make of them (model/quantised.h).
// - Nodes that only look at their input in another way become views; identities too, control flow, casts to the same
//   type and dropout that drops nothing.
// - Flops and bytes by the rules of the type's row; of a type that has none, no flops and the bytes of the distinct
//   inputs and outputs. The type is then reported.
// - Nodes in a loop that stands once in the file count as often as it runs (`_trip_count`); a loop that is one node has
//   the flops and bytes of its body, all turns together (`body_flops`, `body_bytes`).
// - Nodes that write a variable become updates of that parameter where the file's order allows it (model/updates.h).
// - Attributes go along as text, for people (model/attribute_text.h).
// - A node that works on shapes alone (small whole numbers) is kept, since some runtime has to run it, and costs next
// to
//   nothing.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "graph/builder.h"
#include "graph/graph.h"
#include "model/model.h"
#include "model/sizes.h"

namespace berth {

struct LowerOptions {
  DimSizes dims;  // size of every dimension the user names
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

// A dimension that the model does not have is an error.
Result<Lowered> lower(Model model, const LowerOptions& options = {});

}  // namespace berth

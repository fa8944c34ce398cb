// SPDX-License-Identifier: Apache-2.0
// TensorFlow's graphs: GraphDef (.pb, .pbtxt), MetaGraphDef (.meta) and SavedModel (saved_model.pb), told apart by
// their contents. Weights are skipped; variables and constants become leaves, placeholders and iterators inputs.
//
// What of the file is the step:
// - If outputs are known (options, or the signature of a SavedModel or MetaGraphDef), whatever they need, data and
//   control, and nothing else: as TensorFlow would run it.
// - Else everything but what only prepares or follows a step: ops that save and restore, initialisers (assignments
//   named VARIABLE/Assign and those of values that depend on constants alone), the input pipeline behind an iterator or
//   queue, and whatever nobody but these needs; further constant expressions, placeholders and reads of variables that
//   nobody uses, and NoOps without edges, which only name colocation groups. Variables always stay. The outputs are
//   then what nobody consumes, updates of variables left out.
//
// Calls of functions are inlined, their nodes named CALL/NODE. Of an If or Case the branch with the most nodes is
// taken. Loops (Enter ... NextIteration, or While) stand once in the model, cut at NextIteration: their nodes carry the
// attribute "_trip_count" when it is stated to be more than 1, by which lower() multiplies their work.
//
// Devices: Node::device is the file's, else that of the call it is inlined from, else that of its colocation group
// ("loc:@name" of `_class`) where the group names just one. Groups are named after the node that the others name;
// variables and constants belong to them, inputs do not.
//
// Shapes: those of variables, placeholders and constants, and the `_output_shapes` that the file has of others; rules
// infer the rest (model/shapes/tensorflow). An unknown leading dimension of a placeholder is named "batch", others
// "PLACEHOLDER.i".
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/model.h"

namespace berth {

struct TensorFlowOptions {
  std::vector<std::string> outputs = {};    // "node", "node:1", "^node" to just run it; empty: see above
  std::string signature = {};               // whose outputs; empty: serving_default, else the first
  std::string tag = {};                     // which graph of a SavedModel; empty: serve, else the first
  std::int64_t trip_count = 1;              // of every loop
  std::size_t max_inlined_nodes = 200'000;  // by calls, inputs and long names counted too
  int max_call_depth = 64;
};

// What is not as the file says it. Loops, branches and what is left out also stand in the model, for its readers.
struct TensorFlowReport {
  std::vector<std::string> loops;  // by name
  std::size_t loop_nodes = 0;      // nodes that stand in them
  std::int64_t trip_count = 1;     // as stated
  std::size_t inlined_calls = 0;
  std::map<std::string, std::string> chosen_branches;  // of every If and Case: node, function
  std::map<std::string, std::size_t> left_out;         // nodes by reason
};

// `report` may be null.
Result<Model> read_tensorflow_graph(std::string_view bytes, std::string title, const TensorFlowOptions& options = {},
                                    TensorFlowReport* report = nullptr);
// The same from protobuf's text format (.pbtxt).
Result<Model> read_tensorflow_graph_text(std::string_view text, std::string title,
                                         const TensorFlowOptions& options = {}, TensorFlowReport* report = nullptr);

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
// The graph of a file without calls: functions are inlined, inputs are numbers instead of names.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "import/tensorflow/attributes.h"
#include "import/tensorflow/graph_def.h"
#include "import/tensorflow/op_kinds.h"
#include "import/tensorflow/tensorflow_graph.h"

namespace berth::tensorflow {

struct TensorRef {
  std::uint32_t node = 0, output = 0;
  bool operator==(const TensorRef&) const = default;
};

struct FlatNode {
  std::string name;
  const NodeDef* def = nullptr;
  OpKind kind = OpKind::kCompute;
  const Bindings* bindings = nullptr;  // null in the graph itself
  std::vector<TensorRef> inputs;
  std::vector<std::uint32_t> control;  // ascending
  std::string_view device;             // its own, else that of the call it is inlined from
  std::uint32_t loop_depth = 0;        // number of loops around it
  bool in_condition = false;           // of a loop: what it makes is no result

  [[nodiscard]] std::string_view type() const { return def->op; }
  [[nodiscard]] Attributes attributes() const { return Attributes(*def, bindings); }
  // What inlining put in front of its name.
  [[nodiscard]] std::string_view prefix() const {
    return std::string_view(name).substr(0, name.size() - def->name.size());
  }
};

struct FlatGraph {
  std::vector<FlatNode> nodes;
  std::vector<TensorRef> outputs;      // those that are wanted
  std::vector<std::uint32_t> targets;  // nodes that are wanted
  bool knows_outputs = false;          // else all that can be run is wanted
  std::deque<Bindings> bindings;       // what the nodes point to
};

// Inlines all calls. If outputs are known, nodes of the file that they do not need are left out before, so
// that functions which only save or restore need not be understood. Points into `graph`, which must outlive it.
Result<FlatGraph> flatten(const GraphDef& graph, const TensorFlowOptions& options, TensorFlowReport& report);

}  // namespace berth::tensorflow

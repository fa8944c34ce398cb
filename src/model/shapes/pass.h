// SPDX-License-Identifier: Apache-2.0
// ShapePass: what every dialect does with a node whose inputs are known: ask the rules, fill in what the file leaves
// open, keep what is known of contents. The dialect's own pass brings the nodes, each after those it reads from.
#pragma once

#include <string>
#include <vector>

#include "model/model.h"
#include "model/shapes/rules.h"
#include "model/sizes.h"

namespace berth {

// What the file says of a value stays; what it leaves open is filled in. Not with more dimensions than a graph may
// have: a Gather of a tensor by itself doubles them, and a few of those would fill any memory.
void fill_in(Value& value, const Inferred& found);

// Open dimensions that have a name get its size. For subgraphs, which use the names of the graph around them.
void bind_symbols(Value& value, const DimSizes& symbols);

// Shapes and contents as they were; values that have come since know neither.
void forget_inferred(Model& model, const std::vector<Value>& stated);

class ShapePass {
 public:
  // `given` are sizes by name; sizes that rules open have those, else 1, and are listed in Model::open_sizes.
  ShapePass(Model& model, const DialectRules& rules, const DimSizes& given)
      : model_(model), rules_(rules), given_(given) {}

  void visit(Node& node);
  // What is known of the outputs of a node. Those that the node does not have yet are added to it if `adds_values`.
  void fill_outputs(Node& node, const Outputs& outputs);

  // In formats whose nodes do not state their outputs, a rule tells how many there are.
  bool adds_values = false;
  KnownValues known = {};

 private:
  void bind_open_sizes(Value& value, const std::string& name);
  void keep_contents(ValueIndex index, const PartialNumbers& numbers);

  Model& model_;
  const DialectRules& rules_;
  const DimSizes& given_;
};

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
// Model: a network as a framework's file has it, before it becomes a Graph: nodes with attributes, values whose shapes
// may be unknown or symbolic, weights without their bytes. Every importer fills one; lower() (model/lower.h) makes the
// graph, so that constants, views, flops and unknown sizes are treated alike wherever a model comes from.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/kinds.h"
#include "graph/types.h"
#include "ops/op_table.h"

namespace berth {

// One dimension: a size, or unknown, then perhaps with a name ("batch") that the user can give a size.
struct Dim {
  std::int64_t size = -1;  // < 0: unknown; kTooLarge or more: beyond any tensor, which lower() refuses
  std::string symbol = {};
  [[nodiscard]] bool known() const { return size >= 0; }
  bool operator==(const Dim&) const = default;
};

// In place of a size that a rule cannot hold: it is known, but no tensor has it. A few of them can be added up.
inline constexpr std::int64_t kTooLarge = std::int64_t{1} << 60;

using Shape = std::vector<Dim>;  // empty: a scalar

// A tensor that nodes exchange by number. Values without a name are allowed.
struct Value {
  std::string name = {};
  std::optional<DType> dtype = {};
  std::optional<Shape> shape = {};  // none: not even the rank is known
  std::optional<std::vector<std::int64_t>> contents =
      {};  // of small whole-number constants, for shapes that depend on them
};

using ValueIndex = std::uint32_t;
inline constexpr ValueIndex kNoValue = 0xffffffffU;  // an optional input that is left out

using Attribute = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>,
                               std::vector<std::string>>;

struct Body;

struct Node {
  std::string name = {};  // lower() makes up one if it is empty or taken
  std::string type = {};  // as the framework spells it, with its domain unless that is the framework's own
  std::vector<ValueIndex> inputs = {}, outputs = {};
  std::vector<std::uint32_t> control = {};  // nodes that must end first
  std::vector<std::pair<std::string, Attribute>> attributes = {};
  std::string module = {}, label = {};
  std::string colocate = {};  // name of a colocation group, empty for none
  std::string device = {};    // where the file wants it, as the file says it; empty: nowhere
  // Subgraphs that it runs: an If has two (then, else), a loop one. Never changed, so copies of a model share them.
  std::vector<std::shared_ptr<const Body>> bodies = {};

  template <typename T>
  [[nodiscard]] const T* find(std::string_view attribute) const {
    for (const auto& [key, value] : attributes) {
      if (key == attribute) return std::get_if<T>(&value);
    }
    return nullptr;
  }
  [[nodiscard]] std::int64_t integer(std::string_view attribute, std::int64_t otherwise) const {
    const auto* value = find<std::int64_t>(attribute);
    return value != nullptr ? *value : otherwise;
  }
};

// A value that is there from the start: a parameter, a buffer, a constant or an input.
struct Leaf {
  ValueIndex value = kNoValue;
  Role role = Role::kParameter;
  std::string label = {};  // name of a parameter in the model
  std::string device = {};
  std::string colocate = {};  // as of nodes
};

// A size that only a run can tell, such as how many elements are not zero.
struct OpenSize {
  std::string name = {};  // "NODE.i"
  std::int64_t size = 1;  // as the user says, else 1
  std::string where = {};
};

// A weight that has to be there though no node of the model may read it: the branch that reads it counts as not taken.
struct HeldWeight {
  ValueIndex value = kNoValue;
  std::string colocate = {};  // as of nodes: with what it stays
};

struct Model {
  std::string title = {};
  Dialect dialect = Dialect::kOnnx;  // whose rules the types and attributes of the nodes follow
  std::vector<Value> values = {};
  std::vector<Leaf> leaves = {};
  std::vector<Node> nodes = {};  // in any order
  std::vector<ValueIndex> outputs = {};
  std::size_t source_nodes = 0, source_edges = 0;  // as the file counts them
  // Names of nodes whose subgraphs leave something open: which branch runs, with the one that was taken ("then",
  // "else", or the name of a function), or how often a loop turns. For reports.
  std::map<std::string, std::string> open_branches = {};
  std::vector<std::string> open_loops = {};
  std::map<std::string, std::size_t> left_out = {};  // nodes of the file that are no part of the step, by reason
  std::vector<OpenSize> open_sizes = {};
  std::vector<HeldWeight> held = {};

  ValueIndex add(Value value) {
    values.push_back(std::move(value));
    return static_cast<ValueIndex>(values.size() - 1);
  }
};

// A subgraph of a node. What it sees of the graph around it are further inputs of the node, behind its own.
struct Body {
  struct Captured {
    ValueIndex inside = kNoValue;  // in `model`
    std::size_t input = 0;         // of the node
  };
  Model model = {};                     // its leaves are constants; weights inside a body are captured
  std::vector<ValueIndex> inputs = {};  // values of `model` that the node fills, in order
  std::vector<Captured> captured = {};
};

// Nodes so that each comes after those it reads from or waits for; equal ones as the file has them. Nodes on or behind
// a cycle are left out: the graph's builder names them.
std::vector<std::uint32_t> topological_order(const Model& model);

// What a stored tensor is where the file does not tell weights from constants: a parameter if it holds several floating
// numbers, or quantised ones of at least two dimensions; else a constant.
Role role_of_stored(const Value& value);

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
// Rules for what ops make, the same kind for every dialect: a rule sees a node with what is known of its inputs and
// says what follows for its outputs. Rules stand in tables by type, beside each other by theme: rules_*.cc of
// model/shapes/onnx, tensorflow and openvino. A mistake in a file makes a shape unknown, never an error.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/shapes/node_view.h"

namespace berth {

struct Inferred {
  Inferred() = default;
  Inferred(std::optional<DType> type, std::optional<Shape> sizes, std::string open = {})
      : dtype(type), shape(std::move(sizes)), opens(std::move(open)) {}
  // By the shape alone, as rules say it where types follow from attributes.
  Inferred(std::optional<Shape> sizes) : shape(std::move(sizes)) {}  // NOLINT(google-explicit-constructor)
  Inferred(Shape sizes) : shape(std::move(sizes)) {}                 // NOLINT(google-explicit-constructor)

  std::optional<DType> dtype = {};
  std::optional<Shape> shape = {};
  std::string opens = {};  // symbol of a size in it that only a run can tell
};

using Outputs = std::vector<Inferred>;
using Contents = std::optional<PartialNumbers>;  // of one output

inline Outputs one(std::optional<DType> dtype, std::optional<Shape> shape) { return {{dtype, std::move(shape)}}; }

// Outputs in order; fewer than the node has, or without a shape, where nothing is known.
using Rule = Outputs (*)(const NodeView&);

// Whole numbers that small outputs hold, on which other shapes depend, for ops with one such output.
using ContentsRule = Contents (*)(const NodeView&);

template <typename Function>
struct TypeRow {
  std::string_view types;  // with spaces between; behind a "domain: " all are of that domain
  Function function;
};
using RuleRow = TypeRow<Rule>;
using ContentsRow = TypeRow<ContentsRule>;

std::vector<std::string> types_in(std::string_view types);  // of a row

template <typename Function>
class TypeTable {
 public:
  explicit TypeTable(std::initializer_list<std::span<const TypeRow<Function>>> themes) {
    for (const auto rows : themes) {
      for (const TypeRow<Function>& row : rows) {
        for (std::string& type : types_in(row.types)) by_type_.emplace(std::move(type), row.function);
      }
    }
  }
  // Null if there is none.
  [[nodiscard]] Function find(const std::string& type) const {
    const auto found = by_type_.find(type);
    return found != by_type_.end() ? found->second : nullptr;
  }

 private:
  std::unordered_map<std::string, Function> by_type_;
};
using RuleTable = TypeTable<Rule>;
using ContentsTable = TypeTable<ContentsRule>;

// What a dialect knows of its ops. Both functions ask its tables; contents are asked for once the shapes of the outputs
// are known.
struct DialectRules {
  Outputs (*outputs)(const NodeView&);
  std::vector<Contents> (*contents)(const NodeView&);
};

}  // namespace berth

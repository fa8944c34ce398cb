// SPDX-License-Identifier: Apache-2.0
// The names of one graph of an exported program: what its tables say of tensors and symbolic numbers, and which value
// of the model each name stands for. A subgraph has names of its own.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "files/json/json_reader.h"
#include "model/model.h"

namespace berth {

inline constexpr std::array<std::string_view, 3> kPt2SymbolTables{"sym_int_values", "sym_float_values",
                                                                  "sym_bool_values"};

// By the schema's numbers; types that we do not have get one of the same size, unknown ones none.
std::optional<DType> pt2_dtype(std::int64_t scalar_type);

class Pt2Scope {
 public:
  Status read_tensors(const JsonValue& tensor_values);
  Status read_symbols(const JsonValue& values);
  Status read_tables(const JsonValue& graph);  // both, of a graph that is one JSON value

  // A leaf under this name, which joins the model when it is first looked for. An error if the name is taken.
  Status declare(std::string_view name, Leaf leaf);
  // A new value of the model, as the table of tensors describes it, else a scalar of this type if there is one.
  Result<ValueIndex> define(Model& model, std::string_view name, std::optional<DType> scalar);
  // Another name for a value.
  Status bind(std::string_view name, ValueIndex value);

  std::optional<ValueIndex> find(Model& model, std::string_view name);
  // What a symbolic number was during the export: an integer (booleans too) or a double.
  [[nodiscard]] std::optional<Attribute> symbol(std::string_view name) const;

 private:
  struct Entry {
    Value value = {};
    ValueIndex index = kNoValue;
    std::optional<Leaf> leaf = {};
  };
  Result<Entry*> free_entry(std::string_view name);

  std::map<std::string, Entry, std::less<>> entries_;
  std::map<std::string, Attribute, std::less<>> symbols_;
};

}  // namespace berth

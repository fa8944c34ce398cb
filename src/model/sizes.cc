// SPDX-License-Identifier: Apache-2.0
#include "model/sizes.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "graph/builder.h"
#include "model/size_expression.h"

namespace berth {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 52;
constexpr std::size_t kMostListed = 12;  // names in an error

std::vector<bool> leaves_of(const Model& model) {
  std::vector<bool> is_leaf(model.values.size(), false);
  for (const Leaf& leaf : model.leaves) is_leaf[leaf.value] = true;
  return is_leaf;
}

// Calls visit(value index, axis, dim) for every dimension; inputs and weights come first.
template <typename SomeModel, typename Visit>
void for_each_dim(SomeModel& model, const std::vector<bool>& is_leaf, const Visit& visit) {
  for (const bool leaves : {true, false}) {
    for (std::size_t i = 0; i < model.values.size(); ++i) {
      auto& shape = model.values[i].shape;
      if (is_leaf[i] != leaves || !shape) continue;
      for (std::size_t axis = 0; axis < shape->size(); ++axis) visit(i, axis, (*shape)[axis]);
    }
  }
}

// The name of a dimension, or one made up if it is an input's and open. Empty if it has none.
std::string name_at(const Value& value, std::size_t axis, bool is_leaf) {
  const Dim& dim = (*value.shape)[axis];
  if (!dim.symbol.empty() || dim.known() || !is_leaf || value.name.size() > kLongestDimName) return dim.symbol;
  return fmt::format("{}.{}", value.name, axis);
}

// Elsewhere a name may look like one: "a-b*c.0" of a layer.
bool has_expressions(const Model& model) { return model.dialect == Dialect::kOnnx || model.dialect == Dialect::kAten; }

// The names that a symbol depends on: those of its expression, or the symbol itself.
std::vector<std::string> names_of(const Model& model, const std::string& symbol, const DimSizes& sizes) {
  if (!has_expressions(model) || sizes.contains(symbol)) return {symbol};
  auto expression = read_size_expression(symbol, sizes);
  return expression ? std::move(expression->names) : std::vector{symbol};
}

class Binder {
 public:
  Binder(Model& model, const DimSizes& given)
      : model_(model), given_(given), is_leaf_(leaves_of(model)), sizes_(given) {}

  std::vector<NamedDim> run() {
    for_each_dim(model_, is_leaf_, [&](std::size_t value, std::size_t axis, Dim& dim) {
      dim.symbol = name_at(model_.values[value], axis, is_leaf_[value]);
      if (dim.known() && !dim.symbol.empty()) take_from_file(dim);
    });
    for_each_dim(model_, is_leaf_, [&](std::size_t value, std::size_t, const Dim& dim) {
      const bool is_inferred = model_.dialect == Dialect::kOnnx && !is_leaf_[value];
      if (!dim.known() && !dim.symbol.empty() && !is_inferred) assume(dim.symbol);
    });
    for_each_dim(model_, is_leaf_, [&](std::size_t value, std::size_t axis, Dim& dim) {
      if (dim.symbol.empty()) return;
      note_names(model_.values[value], axis, dim.symbol);
      if (!dim.known() || is_changed(dim.symbol)) dim.size = size_of(dim.symbol).value_or(-1);
    });
    return std::move(dims_);
  }

 private:
  // The size of an expression says nothing about its names, and that of a text nothing once the user changes a part.
  void take_from_file(const Dim& dim) {
    if (is_changed(dim.symbol)) return;
    const std::vector<std::string> names = names_of(model_, dim.symbol, sizes_);
    if (names.size() == 1 && names.front() == dim.symbol) sizes_.emplace(dim.symbol, dim.size);
  }

  void assume(const std::string& symbol) {
    if (size_of(symbol)) return;
    for (const std::string& name : names_of(model_, symbol, sizes_)) {
      if (sizes_.emplace(name, 1).second) assumed_.insert(name);
    }
  }

  [[nodiscard]] std::optional<std::int64_t> size_of(const std::string& symbol) const {
    if (const auto known = sizes_.find(symbol); known != sizes_.end()) return known->second;
    if (!has_expressions(model_)) return std::nullopt;
    const auto expression = read_size_expression(symbol, sizes_);
    return expression ? expression->value : std::nullopt;
  }

  // Whether a size that the file states depends on one that the user has changed.
  [[nodiscard]] bool is_changed(const std::string& symbol) const {
    return std::ranges::any_of(given_, [&](const auto& given) { return mentions(symbol, given.first); });
  }

  void note_names(const Value& value, std::size_t axis, const std::string& symbol) {
    for (const std::string& name : names_of(model_, symbol, sizes_)) {
      const auto size = sizes_.find(name);
      if (size == sizes_.end()) continue;
      const auto [place, is_new] = number_of_.emplace(name, dims_.size());
      if (is_new) dims_.push_back({name, size->second, source_of(name), 0, fmt::format("{}[{}]", value.name, axis)});
      ++dims_[place->second].uses;
    }
  }

  [[nodiscard]] DimSource source_of(const std::string& name) const {
    if (given_.contains(name)) return DimSource::kUser;
    return assumed_.contains(name) ? DimSource::kAssumed : DimSource::kFile;
  }

  Model& model_;
  const DimSizes& given_;
  std::vector<bool> is_leaf_;  // per value
  DimSizes sizes_;             // of every name that has one
  std::set<std::string> assumed_;
  std::map<std::string, std::size_t> number_of_;  // in dims_
  std::vector<NamedDim> dims_;
};

bool overflows(const Value& value) {
  return value.shape && std::ranges::all_of(*value.shape, &Dim::known) && !num_elements(*value.shape);
}

// "64 x 2147483648"; a size that no tensor has stands for itself.
std::string sizes_text(const Shape& shape) {
  std::vector<std::string> sizes;
  for (const Dim& dim : shape) sizes.push_back(dim.size < kTooLarge ? fmt::format("{}", dim.size) : "too many");
  return join(sizes, " x ");
}

// Who has the value: "node 'mm'", "parameter 'w'", "input 'x'".
std::string owner_of(const Model& model, ValueIndex value) {
  for (const Leaf& leaf : model.leaves) {
    if (leaf.value == value) return fmt::format("{} '{}'", name_of(leaf.role), model.values[value].name);
  }
  for (const Node& node : model.nodes) {
    if (std::ranges::find(node.outputs, value) == node.outputs.end()) continue;
    return fmt::format("node '{}' ({})", node.name, node.type);
  }
  return "the model";
}

Error overflow_error(const Model& model, ValueIndex index) {
  const Value& value = model.values[index];
  return bad_input("{}: the size of '{}' overflows: {} elements; all tensors together may have {}",
                   owner_of(model, index), value.name, sizes_text(*value.shape), format_bytes(kMaxTotalBytes));
}

std::string list_of(const std::vector<std::string>& names) {
  if (names.empty()) return "all its sizes are fixed";
  const auto shown = std::span(names).first(std::min(names.size(), kMostListed));
  return fmt::format("it has {}{}", join(shown, ", "), names.size() > kMostListed ? ", ..." : "");
}

}  // namespace

std::int64_t loop_turns(const DimSizes& sizes) {
  const auto given = sizes.find(std::string(kLoopTurns));
  return given != sizes.end() ? given->second : 1;
}

Status check_dims(const Model& model, const DimSizes& sizes) {
  if (sizes.empty()) return {};
  const std::vector<bool> is_leaf = leaves_of(model);
  std::vector<std::string> of_inputs;
  std::set<std::string> all;
  for_each_dim(model, is_leaf, [&](std::size_t value, std::size_t axis, const Dim&) {
    const std::string symbol = name_at(model.values[value], axis, is_leaf[value]);
    if (symbol.empty()) return;
    for (std::string& name : names_of(model, symbol, sizes)) {
      if (all.insert(name).second && is_leaf[value]) of_inputs.push_back(std::move(name));
    }
  });
  for (const auto& [name, size] : sizes) {
    if (all.contains(name) || name == kLoopTurns) continue;
    const std::string near = did_you_mean(name, std::span<const std::string>(of_inputs));
    return near.empty() ? bad_input("the model has no dimension named '{}'; {}", name, list_of(of_inputs))
                        : bad_input("the model has no dimension named '{}'{} ({})", name, near, list_of(of_inputs));
  }
  return {};
}

std::vector<NamedDim> bind_dims(Model& model, const DimSizes& sizes) { return Binder(model, sizes).run(); }

std::optional<std::int64_t> num_elements(const Shape& shape) {
  std::int64_t count = 1;
  const bool all_known = std::ranges::all_of(shape, &Dim::known);
  if (all_known && std::ranges::any_of(shape, [](const Dim& dim) { return dim.size == 0; })) return 0;
  for (const Dim& dim : shape) {
    if (!dim.known() || (dim.size > 0 && count > kMostElements / dim.size)) return std::nullopt;
    count *= dim.size;
  }
  return count;
}

Status check_sizes(const Model& model) {
  for (std::size_t i = 0; i < model.values.size(); ++i) {
    if (overflows(model.values[i])) return overflow_error(model, static_cast<ValueIndex>(i));
  }
  return {};
}

Bytes value_bytes(const Value& value) {
  const auto count = value.shape ? num_elements(*value.shape) : std::nullopt;
  return count ? std::max<Bytes>(tensor_bytes({value.dtype.value_or(DType::kF32), {*count}}), 0) : 0;
}

Shape shape_of(std::initializer_list<std::int64_t> sizes) {
  Shape shape;
  for (const std::int64_t size : sizes) shape.push_back({size, {}});
  return shape;
}

}  // namespace berth

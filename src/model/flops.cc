// SPDX-License-Identifier: Apache-2.0
#include "model/flops.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "cost/op_class.h"
#include "model/sizes.h"

namespace berth {
namespace {

class NodeShapes {
 public:
  NodeShapes(const Model& model, const Node& node) : model_(model), node_(node) {}

  [[nodiscard]] const Shape* input(std::size_t i) const { return find(node_.inputs, i); }
  [[nodiscard]] const Shape* output(std::size_t i) const { return find(node_.outputs, i); }
  [[nodiscard]] std::size_t num_inputs() const { return node_.inputs.size(); }

 private:
  [[nodiscard]] const Shape* find(const std::vector<ValueIndex>& values, std::size_t i) const {
    if (i >= values.size() || values[i] == kNoValue) return nullptr;
    const auto& shape = model_.values[values[i]].shape;
    return shape ? &*shape : nullptr;
  }
  const Model& model_;
  const Node& node_;
};

double elements(const Shape* shape) {
  const auto count = shape != nullptr ? num_elements(*shape) : std::nullopt;
  return count ? static_cast<double>(*count) : 0.0;
}

double size_at(const Shape& shape, std::size_t axis) {
  return axis < shape.size() && shape[axis].known() ? static_cast<double>(shape[axis].size) : 0.0;
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool is_set(const Node& node, std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(names, [&](std::string_view name) { return node.integer(name, 0) != 0; });
}

// The length that the product sums over: the last axis of its first factor, or the one before it if that is transposed.
double product_flops(const Node& node, const NodeShapes& shapes) {
  const bool adds_first =
      contains(node.type, "addmm") || contains(node.type, "baddbmm") || contains(node.type, "addbmm");
  const Shape* factor = shapes.input(adds_first ? 1 : 0);
  if (factor == nullptr || factor->empty()) return 0.0;
  const bool transposed = is_set(node, {"transA", "transpose_a", "adj_x"}) && factor->size() >= 2;
  return 2.0 * elements(shapes.output(0)) * size_at(*factor, factor->size() - (transposed ? 2 : 1));
}

// Product of the sizes of all labels of the equation.
double einsum_flops(const Node& node, const NodeShapes& shapes) {
  const auto* equation = node.find<std::string>("equation");
  if (equation == nullptr) return 0.0;
  std::map<char, double> size_of;
  std::size_t input = 0, axis = 0;
  for (const char c : *equation) {
    if (c == '-' || c == '.') break;
    if (c == ' ') continue;
    if (c == ',') {
      ++input;
      axis = 0;
      continue;
    }
    if (shapes.input(input) != nullptr) size_of[c] = size_at(*shapes.input(input), axis);
    ++axis;
  }
  double product = size_of.empty() ? 0.0 : 2.0;
  for (const auto& [label, size] : size_of) product *= size;
  return product;
}

// Every step multiplies with all weights of its direction.
double recurrent_flops(const NodeShapes& shapes) {
  const Shape* input = shapes.input(0);
  if (input == nullptr || input->size() != 3) return 0.0;
  return 2.0 * size_at(*input, 0) * size_at(*input, 1) * (elements(shapes.input(1)) + elements(shapes.input(2)));
}

// Multiply-adds per output element: the weight over its output channels.
double conv_flops(const Model& model, const Node& node, const NodeShapes& shapes) {
  const Shape* weight = shapes.input(1);
  if (weight == nullptr || weight->size() < 3) return 0.0;
  const bool grows =
      contains(node.type, "ranspose") || contains(node.type, "BackpropData") || node.integer("transposed", 0) != 0;
  const bool has_groups_first = model.dialect == Dialect::kOpenVino && node.type.starts_with("Group");
  double channels = size_at(*weight, 0) * (has_groups_first ? size_at(*weight, 1) : 1.0);
  if (model.dialect == Dialect::kTensorFlow) {  // height, width, in, out
    channels = size_at(*weight, weight->size() - 1);
    if (contains(node.type, "Depthwise")) channels *= size_at(*weight, weight->size() - 2);
  }
  if (channels <= 0.0) return 0.0;
  return 2.0 * elements(grows ? shapes.input(0) : shapes.output(0)) * elements(weight) / channels;
}

// Every query with every key, then with every value.
double attention_flops(const NodeShapes& shapes) {
  const Shape *query = shapes.input(0), *key = shapes.input(1), *value = shapes.input(2);
  if (query == nullptr || key == nullptr || value == nullptr || query->size() < 2 || key->size() < 2 || value->empty())
    return 0.0;
  const double width = size_at(*query, query->size() - 1), keys = size_at(*key, key->size() - 2);
  return width > 0.0 ? 2.0 * elements(query) / width * keys * (width + size_at(*value, value->size() - 1)) : 0.0;
}

struct Views {
  Dialect dialect;
  std::string_view types;  // between spaces
};

// Transposes copy in ONNX, TensorFlow and OpenVINO; in ATen they are views.
constexpr std::array kViews{
    Views{Dialect::kOnnx, " Reshape Flatten Squeeze Unsqueeze Identity Dropout "},
    Views{Dialect::kTensorFlow,
          " Reshape Squeeze ExpandDims Identity StopGradient PreventGradient ReadVariableOp Snapshot CheckNumerics "},
    Views{Dialect::kOpenVino, " Reshape Squeeze Unsqueeze Result "},
    Views{Dialect::kAten,
          " view _unsafe_view reshape flatten unflatten view_as permute transpose t expand expand_as slice select "
          "squeeze "
          "unsqueeze split split_with_sizes chunk unbind getitem alias detach lift_fresh_copy narrow diagonal unfold "
          "swapaxes movedim as_strided dropout "},
};

// "aten.view.default" -> "view"
std::string_view short_type(Dialect dialect, std::string_view type) {
  if (dialect != Dialect::kAten) return type;
  if (type.starts_with("aten.")) type.remove_prefix(5);
  return type.substr(0, type.find('.'));
}

}  // namespace

double flops_of(const Model& model, const Node& node) {
  const NodeShapes shapes(model, node);
  switch (class_of_type(node.type)) {
    case CostClass::kMatmul:
      if (contains(node.type, "insum")) return einsum_flops(node, shapes);
      if (node.type == "LSTM" || node.type == "GRU" || node.type == "RNN") return recurrent_flops(shapes);
      return product_flops(node, shapes);
    case CostClass::kConvPointwise:
    case CostClass::kConvWindowed:
      return conv_flops(model, node, shapes);
    case CostClass::kAttention:
      return attention_flops(shapes);
    default:
      return 0.0;
  }
}

bool is_view_type(Dialect dialect, const Node& node) {
  const std::string_view type = short_type(dialect, node.type);
  if (type == "Dropout" && node.outputs.size() > 1) return false;  // in training
  for (const Views& row : kViews) {
    if (row.dialect == dialect) return contains(row.types, fmt::format(" {} ", type));
  }
  return false;
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include "import/openvino/openvino_model.h"

#include <algorithm>
#include <iterator>

#include "files/json/json_reader.h"
#include "import/openvino/bodies.h"
#include "import/openvino/ir_links.h"
#include "import/openvino/ir_net.h"
#include "import/openvino/ir_words.h"
#include "model/shapes/openvino/rules.h"

namespace berth {
namespace openvino {
namespace {

constexpr std::int64_t kFewElements = 16;

// Elements of a shape whose sizes are known, as far as it matters here: more than kFewElements is many.
std::int64_t elements_up_to_many(const std::vector<std::int64_t>& dims) {
  std::int64_t count = 1;
  bool many = false;
  for (const std::int64_t size : dims) {
    if (size == 0) return 0;
    many = many || size > kFewElements || size < 0;
    if (!many) count *= size;
    many = many || count > kFewElements;
  }
  return many ? kFewElements + 1 : count;
}

bool may_be_weights(DType dtype) {
  switch (dtype) {
    case DType::kI64:
    case DType::kI32:
    case DType::kI16:
    case DType::kBool:
      return false;
    default:
      return true;
  }
}

Role role_of_constant(const IrLayer& layer) {
  if (layer.outputs.empty()) return Role::kConstant;
  const IrPort& port = layer.outputs.front();
  const std::int64_t elements = elements_up_to_many(port.dims);
  const bool is_large = elements > kFewElements || (elements > 1 && port.dims.size() >= 2);
  return is_large && port.dtype && may_be_weights(*port.dtype) ? Role::kParameter : Role::kConstant;
}

std::string type_with_domain(const IrLayer& layer) {
  const bool is_standard = layer.version.empty() || layer.version.starts_with("opset");
  return is_standard ? layer.type : fmt::format("{}.{}", layer.version, layer.type);
}

bool is_input_of_any_rank(const IrLayer& layer) {
  const std::string* shape = layer.find("shape");
  return layer.type == "Parameter" && shape != nullptr && shape->starts_with("...");
}

Shape shape_of(const IrPort& port) {
  Shape shape;
  for (const std::int64_t size : port.dims) shape.push_back({.size = size});
  return shape;
}

bool is_result(const IrLayer& layer) { return layer.type == "Result"; }
bool is_state(const IrLayer& layer) { return layer.type == "ReadValue" || layer.type == "Assign"; }

class ModelMaker {
 public:
  ModelMaker(const IrNet& net, const IrLinks& links, std::int64_t open_turns)
      : net_(net), links_(links), open_turns_(open_turns) {}

  Result<Model> make() {
    model_.title = net_.name;
    model_.dialect = Dialect::kOpenVino;
    model_.source_nodes = net_.layers.size();
    model_.source_edges = links_.num_edges;
    BERTH_RETURN_IF_ERROR(check_results());
    count_read_outputs();
    find_unknown_ranks();
    add_values();
    for (std::size_t at = 0; at < net_.layers.size(); ++at) BERTH_RETURN_IF_ERROR(add_layer(at));
    BERTH_RETURN_IF_ERROR(order_states());
    return std::move(model_);
  }

 private:
  [[nodiscard]] Status check_results() const {
    for (const IrLayer& layer : net_.layers) {
      if (!is_result(layer) || (layer.inputs.size() == 1 && layer.outputs.empty())) continue;
      return bad_input("{}: a Result has one input and no output", describe(layer));
    }
    return {};
  }

  void count_read_outputs() {
    read_outputs_.resize(net_.layers.size());
    for (const auto& sources : links_.sources) {
      for (const IrSource& source : sources) {
        read_outputs_[source.layer] = std::max<std::size_t>(read_outputs_[source.layer], source.output + 1);
      }
    }
  }

  // Outputs of a layer that become values: the first, and all up to the last that something reads.
  [[nodiscard]] std::size_t num_outputs(std::size_t at) const {
    return std::min(net_.layers[at].outputs.size(), std::max<std::size_t>(read_outputs_[at], 1));
  }

  // No <dim> means a scalar or a rank that is not known: the latter where it comes from an input of any rank.
  [[nodiscard]] bool has_unknown_rank(std::size_t at, std::size_t output) const {
    return unknown_rank_[at] && net_.layers[at].outputs[output].dims.empty();
  }

  void find_unknown_ranks() {
    unknown_rank_.resize(net_.layers.size());
    for (const std::uint32_t at : links_.order) {
      unknown_rank_[at] =
          is_input_of_any_rank(net_.layers[at]) || std::ranges::any_of(links_.sources[at], [&](const IrSource& source) {
            return has_unknown_rank(source.layer, source.output);
          });
    }
  }

  void add_values() {
    for (std::size_t at = 0; at < net_.layers.size(); ++at) {
      const IrLayer& layer = net_.layers[at];
      first_value_.push_back(static_cast<ValueIndex>(model_.values.size()));
      if (is_result(layer)) continue;
      for (std::size_t output = 0; output < num_outputs(at); ++output) {
        Value value{.name = output == 0 ? layer.name : fmt::format("{}:{}", short_name(layer), output),
                    .dtype = layer.outputs[output].dtype};
        if (!has_unknown_rank(at, output)) value.shape = named_shape(layer, output);
        model_.add(std::move(value));
      }
    }
    is_output_.resize(model_.values.size());
  }

  // Dynamic sizes are called after the layer, the output unless it is the first, and the axis.
  static Shape named_shape(const IrLayer& layer, std::size_t output) {
    Shape shape = shape_of(layer.outputs[output]);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (shape[axis].known()) continue;
      const std::string number = output == 0 ? std::string() : fmt::format(":{}", output);
      shape[axis].symbol = fmt::format("{}{}.{}", short_name(layer), number, axis);
    }
    return shape;
  }

  [[nodiscard]] ValueIndex value_of(const IrSource& source) const { return first_value_[source.layer] + source.output; }

  Status add_layer(std::size_t at) {
    const IrLayer& layer = net_.layers[at];
    if (is_result(layer)) return add_result(at), Status();
    if (layer.type == "Parameter" || is_constant(layer)) return add_leaf(at);
    Node node{.name = layer.name, .type = type_with_domain(layer)};
    for (const IrSource& source : links_.sources[at]) node.inputs.push_back(value_of(source));
    for (std::size_t i = 0; i < num_outputs(at); ++i)
      node.outputs.push_back(first_value_[at] + static_cast<ValueIndex>(i));
    for (const auto& [name, text] : layer.data) node.attributes.emplace_back(name, typed_attribute(name, text));
    node.module = module_path(layer.name);
    node.device = layer.device;
    if (!layer.bodies.empty()) BERTH_RETURN_IF_ERROR(add_bodies(layer, node));
    if (is_state(layer)) BERTH_RETURN_IF_ERROR(add_state(at, node));
    model_.nodes.push_back(std::move(node));
    return {};
  }

  void add_result(std::size_t at) {
    const ValueIndex value = value_of(links_.sources[at].front());
    if (!is_output_[value]) model_.outputs.push_back(value);
    is_output_[value] = true;
  }

  Status add_leaf(std::size_t at) {
    const IrLayer& layer = net_.layers[at];
    if (layer.outputs.size() != 1 || !layer.inputs.empty()) {
      return bad_input("{}: a {} has one output and no input", describe(layer), layer.type);
    }
    const Role role = is_constant(layer) ? role_of_constant(layer) : Role::kInput;
    model_.leaves.push_back({.value = first_value_[at], .role = role, .label = layer.name, .device = layer.device});
    return {};
  }

  Status add_bodies(const IrLayer& layer, Node& node) {
    BERTH_TRY(const BodyWork work, work_of_bodies(layer, open_turns_));
    node.attributes.emplace_back("body_flops", work.flops);
    node.attributes.emplace_back("body_bytes", static_cast<std::int64_t>(work.bytes));
    node.attributes.emplace_back("body_turns", work.turns);
    node.attributes.emplace_back("body_turns_known", std::int64_t{work.turns_known});
    node.attributes.emplace_back(kOwnInputs, static_cast<std::int64_t>(node.inputs.size()));
    if (!work.turns_known) model_.open_loops.push_back(node.name);
    for (const BodyConstant& constant : constants_of_bodies(layer)) {
      if (constant.layer->outputs.size() != 1) {
        return bad_input("{}: a {} has one output", describe(*constant.layer), constant.layer->type);
      }
      const IrPort& port = constant.layer->outputs.front();
      const ValueIndex value = model_.add({.name = constant.name, .dtype = port.dtype, .shape = shape_of(port)});
      model_.leaves.push_back(
          {.value = value, .role = role_of_constant(*constant.layer), .label = constant.name, .device = layer.device});
      node.inputs.push_back(value);
    }
    return {};
  }

  // A ReadValue looks at a buffer, besides its input, which sets the buffer up; an Assign replaces what is in it.
  Status add_state(std::size_t at, Node& node) {
    const IrLayer& layer = net_.layers[at];
    const std::string* id = layer.find("variable_id");
    if (id == nullptr || id->empty()) return bad_input("{}: a {} needs a variable_id", describe(layer), layer.type);
    node.colocate = fmt::format("state:{}", *id);
    const auto index = static_cast<std::uint32_t>(model_.nodes.size());
    if (layer.type == "Assign") {
      assigns_.push_back({*id, index});
      return {};
    }
    if (layer.outputs.empty()) return bad_input("{}: a ReadValue has one output", describe(layer));
    reads_.push_back({*id, index});
    const Value& state = model_.values[first_value_[at]];
    const ValueIndex buffer = model_.add({.name = *id, .dtype = state.dtype, .shape = state.shape});
    model_.leaves.push_back(
        {.value = buffer, .role = Role::kBuffer, .label = *id, .device = layer.device, .colocate = node.colocate});
    node.inputs.insert(node.inputs.begin(), buffer);
    return {};
  }

  Status order_states() {
    std::ranges::sort(reads_);
    std::ranges::sort(assigns_);
    const auto twin = std::ranges::adjacent_find(assigns_, {}, &StateNode::id);
    if (twin != assigns_.end()) {
      return bad_input("layer {}: another Assign writes the same variable",
                       in_quotes(model_.nodes[std::next(twin)->node].name));
    }
    for (const StateNode& assign : assigns_) {
      auto read = std::ranges::lower_bound(reads_, assign.id, {}, &StateNode::id);
      for (; read != reads_.end() && read->id == assign.id; ++read)
        model_.nodes[assign.node].control.push_back(read->node);
    }
    return {};
  }

  struct StateNode {
    std::string id;
    std::uint32_t node;
    auto operator<=>(const StateNode&) const = default;
  };

  const IrNet& net_;
  const IrLinks& links_;
  const std::int64_t open_turns_;  // of loops of unknown length
  Model model_;
  std::vector<std::size_t> read_outputs_;  // by layer: one more than the last output that something reads
  std::vector<bool> unknown_rank_;         // by layer: of its outputs without sizes
  std::vector<ValueIndex> first_value_;    // by layer
  std::vector<bool> is_output_;            // by value
  std::vector<StateNode> reads_, assigns_;
};

}  // namespace
}  // namespace openvino

Result<Model> read_openvino_model(std::string_view xml, std::int64_t open_turns) {
  BERTH_TRY(const openvino::IrNet net, openvino::parse_model_ir(xml));
  BERTH_TRY(const openvino::IrLinks links, openvino::link_layers(net));
  return openvino::ModelMaker(net, links, open_turns).make();
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include "import/tensorflow/facts.h"

#include <algorithm>

#include "import/tensorflow/op_kinds.h"
#include "import/tensorflow/schema.h"
#include "model/shapes/tensorflow/types.h"

namespace berth::tensorflow {
namespace {

// Tensors, their dimensions and names together: a fixed part and so much per node. Hostile files that name output
// 60,000 of every node, or give each 32 dimensions, end here.
constexpr std::size_t kFreeSize = 262'144, kSizePerNode = 24;

class FactFinder {
 public:
  FactFinder(const FlatGraph& graph, const Step& step) : graph_(graph), step_(step), facts_(graph.nodes.size()) {
    read_.assign(graph.nodes.size(), 0);
    const auto note = [&](const TensorRef& tensor) {
      read_[tensor.node] = std::max(read_[tensor.node], tensor.output + 1);
    };
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      if (step.keeps[i] == 0 || is_leaf(graph.nodes[i].kind)) continue;
      std::ranges::for_each(graph.nodes[i].inputs, note);
    }
    for (const TensorRef& output : step.outputs) {
      if (has_outputs(graph.nodes[output.node].type())) note(output);
    }
  }

  Result<std::vector<std::vector<Facts>>> run(std::span<const std::uint32_t> order) {
    for (const std::uint32_t node : order) {
      if (step_.keeps[node] == 0) continue;
      facts_[node] = is_leaf(graph_.nodes[node].kind) ? leaf(node) : result_of(node);
      BERTH_RETURN_IF_ERROR(check_size(node));
    }
    return std::move(facts_);
  }

 private:
  Status check_size(std::uint32_t node) {
    for (const Facts& facts : facts_[node]) {
      size_ += 1 + (facts.shape ? facts.shape->size() : 0) + graph_.nodes[node].name.size() / 32;
    }
    if (size_ <= kFreeSize + kSizePerNode * graph_.nodes.size()) return {};
    return bad_input("node '{}': outputs and their dimensions are far too many for a graph of {} nodes",
                     graph_.nodes[node].name, graph_.nodes.size());
  }

  std::vector<Facts> leaf(std::uint32_t node) {
    switch (graph_.nodes[node].kind) {
      case OpKind::kConstant:
        return constant(node);
      case OpKind::kVariable:
        return variable(node);
      default:
        return input(node);
    }
  }

  std::vector<Facts> constant(std::uint32_t node) const {
    const Attributes attributes = graph_.nodes[node].attributes();
    std::vector<Facts> facts(std::max(read_[node], 1U));
    if (auto tensor = attributes.tensor("value")) {
      facts[0] = {dtype_of(tensor->data_type), std::move(tensor->shape), std::move(tensor->contents)};
    }
    return facts;
  }

  std::vector<Facts> variable(std::uint32_t node) const {
    const FlatNode& flat = graph_.nodes[node];
    const Attributes attributes = flat.attributes();
    std::vector<Facts> facts(std::max(read_[node], 1U));
    if (const auto type = attributes.data_type("dtype")) facts[0].dtype = dtype_of(*type);
    facts[0].shape = attributes.shape("shape");
    const auto stated = flat.type() == "VarHandleOp" ? std::vector<std::optional<Shape>>()
                                                     : attributes.shapes("_output_shapes");  // of the handle
    if (!facts[0].shape && !stated.empty()) facts[0].shape = stated[0];
    return facts;
  }

  std::vector<Facts> input(std::uint32_t node) const {
    const FlatNode& flat = graph_.nodes[node];
    const Attributes attributes = flat.attributes();
    std::vector<std::optional<Shape>> shapes = attributes.shapes("output_shapes");
    for (const std::string_view list : {"shapes", "_output_shapes"}) {
      if (shapes.empty()) shapes = attributes.shapes(list);
    }
    if (auto shape = attributes.shape("shape")) shapes.assign(1, std::move(shape));
    const Node typed{.type = std::string(flat.type()), .attributes = attributes.for_model()};
    const std::size_t types =
        std::max(attributes.data_types("output_types").size(), attributes.data_types("component_types").size());
    std::vector<Facts> facts(std::max({std::size_t{read_[node]}, types, std::size_t{1}}));
    for (std::size_t i = 0; i < facts.size(); ++i) {
      facts[i].dtype = dtype_of_output(typed, i, std::nullopt);
      if (i < shapes.size()) facts[i].shape = std::move(shapes[i]);
      if (facts[i].shape) name_dims(i == 0 ? flat.name : fmt::format("{}:{}", flat.name, i), *facts[i].shape);
    }
    return facts;
  }

  // Unknown dimensions of inputs get names by which the user can give them sizes.
  static void name_dims(std::string_view input, Shape& shape) {
    constexpr std::size_t kLongestName = 64;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      Dim& dim = shape[i];
      if (dim.known() || !dim.symbol.empty()) continue;
      if (i == 0) dim.symbol = "batch";
      if (i > 0 && input.size() <= kLongestName) dim.symbol = fmt::format("{}.{}", input, i);
    }
  }

  // Those that somebody reads or the file has shapes of; further ones are known to the rules of the op.
  [[nodiscard]] std::vector<Facts> result_of(std::uint32_t node) const {
    const FlatNode& flat = graph_.nodes[node];
    const bool is_silent = !has_outputs(flat.type());
    std::vector<std::optional<Shape>> stated = flat.attributes().shapes("_output_shapes");
    std::vector<Facts> facts(
        std::max<std::size_t>(read_[node], is_silent ? 0 : std::max<std::size_t>(stated.size(), 1)));
    for (std::size_t i = 0; i < std::min(facts.size(), stated.size()); ++i) facts[i].shape = std::move(stated[i]);
    return facts;
  }

  const FlatGraph& graph_;
  const Step& step_;
  std::vector<std::vector<Facts>> facts_;
  std::vector<std::uint32_t> read_;  // outputs of every node that somebody reads: the highest and those below
  std::size_t size_ = 0;
};

}  // namespace

Result<std::vector<std::vector<Facts>>> find_facts(const FlatGraph& graph, std::span<const std::uint32_t> order,
                                                   const Step& step) {
  return FactFinder(graph, step).run(order);
}

}  // namespace berth::tensorflow

// SPDX-License-Identifier: Apache-2.0
#include "import/tensorflow/facts.h"

#include <algorithm>
#include <map>

#include "import/tensorflow/data_type.h"
#include "import/tensorflow/op_kinds.h"
#include "import/tensorflow/shape_tools.h"

namespace berth::tensorflow {
namespace {

// Tensors, their dimensions and names together: a fixed part and so much per node. Hostile files that name output
// 60,000 of every node, or give each 32 dimensions, end here.
constexpr std::size_t kFreeSize = 262'144, kSizePerNode = 24;

// A list that one loop fills may hold what the next one reads: as many loops in a row are followed to their sizes.
constexpr int kMostPasses = 8;

class FactFinder {
 public:
  FactFinder(const FlatGraph& graph, const Step& step, const TensorFlowOptions& options, TensorFlowReport& report)
      : graph_(graph), step_(step), options_(options), report_(report), facts_(graph.nodes.size()) {
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
    for (int pass = 0; pass < kMostPasses; ++pass) {
      has_news_ = false;
      BERTH_RETURN_IF_ERROR(walk(order));
      if (!has_news_) break;
    }
    drop_helpers();
    return std::move(facts_);
  }

 private:
  // Loops are cut, so that a list may be read before we know what is put into it: then we have to come again.
  Status walk(std::span<const std::uint32_t> order) {
    report_.shapes_from_file = report_.shapes_inferred = report_.shapes_unknown = size_ = 0;
    for (const std::uint32_t node : order) {
      if (step_.keeps[node] == 0) continue;
      facts_[node] = is_leaf(graph_.nodes[node].kind) ? leaf(node) : result_of(node);
      BERTH_RETURN_IF_ERROR(check_size(node));
    }
    return {};
  }

  Status check_size(std::uint32_t node) {
    for (const Facts& facts : facts_[node]) {
      size_ += 1 + (facts.shape ? facts.shape->size() : 0) + graph_.nodes[node].name.size() / 32;
    }
    if (const auto list = lists_.find(node); list != lists_.end() && list->second.element) {
      size_ += list->second.element->size();
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
    const auto stated = flat.type() == "VarHandleOp" ? Shapes() : attributes.shapes("_output_shapes");  // of the handle
    if (!facts[0].shape && !stated.empty()) facts[0].shape = stated[0];
    return facts;
  }

  std::vector<Facts> input(std::uint32_t node) {
    const FlatNode& flat = graph_.nodes[node];
    const OpContext op{flat.type(), flat.attributes(), {}};
    Shapes shapes = op.attributes.shapes("output_shapes");
    for (const std::string_view list : {"shapes", "_output_shapes"}) {
      if (shapes.empty()) shapes = op.attributes.shapes(list);
    }
    if (auto shape = op.attributes.shape("shape")) shapes.assign(1, std::move(shape));
    const std::size_t typed =
        std::max(op.attributes.data_types("output_types").size(), op.attributes.data_types("component_types").size());
    std::vector<Facts> facts(std::max({std::size_t{read_[node]}, typed, std::size_t{1}}));
    for (std::size_t i = 0; i < facts.size(); ++i) {
      facts[i].dtype = output_dtype(op, i);
      if (i < shapes.size()) facts[i].shape = std::move(shapes[i]);
      if (facts[i].shape) name_dims(i == 0 ? flat.name : fmt::format("{}:{}", flat.name, i), *facts[i].shape);
    }
    return facts;
  }

  // Unknown dimensions of inputs get names by which the user can give them sizes.
  void name_dims(std::string_view input, Shape& shape) const {
    constexpr std::size_t kLongestName = 64;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      Dim& dim = shape[i];
      if (dim.known()) continue;
      if (dim.symbol.empty() && i == 0) dim.symbol = "batch";
      if (dim.symbol.empty() && input.size() <= kLongestName) dim.symbol = fmt::format("{}.{}", input, i);
      const auto size = options_.dims.find(dim.symbol);
      if (size != options_.dims.end() && dim_of(size->second).known()) dim = Dim{size->second};
    }
  }

  std::vector<Facts> result_of(std::uint32_t node) {
    const FlatNode& flat = graph_.nodes[node];
    OpContext op{flat.type(), flat.attributes(), {}};
    for (const TensorRef& input : flat.inputs) op.inputs.push_back(&facts_[input.node][input.output]);
    ListFacts* const list = list_after(node, op);
    const Shapes inferred = output_shapes(op);
    Shapes stated = op.attributes.shapes("_output_shapes");
    const std::size_t least = has_outputs(flat.type()) ? 1 : 0;
    const std::size_t known = least == 0 ? 0 : std::max(inferred.size(), stated.size());
    std::vector<Facts> facts(std::max({std::size_t{read_[node]}, known, least}));
    stated.resize(facts.size());
    for (std::size_t i = 0; i < facts.size(); ++i) {
      const bool from_file = stated[i].has_value();
      facts[i].dtype = output_dtype(op, i);
      facts[i].shape = completed(std::move(stated[i]), i < inferred.size() ? inferred[i] : std::nullopt);
      facts[i].list = list;
      ++(from_file ? report_.shapes_from_file : facts[i].shape ? report_.shapes_inferred : report_.shapes_unknown);
      if (facts[i].shape) facts[i].contents = output_contents(op, i, *facts[i].shape);
    }
    return facts;
  }

  // The list that the op makes or passes on, with what it puts into it; null if it has nothing to do with one.
  ListFacts* list_after(std::uint32_t node, const OpContext& op) {
    if (auto made = made_list(op)) {
      const auto [entry, is_new] = lists_.try_emplace(node, *made);
      ListFacts& list = entry->second;
      if (!is_new && made->element && list.learn(*made->element)) has_news_ = true;
      list.length = made->length;
      return &list;
    }
    ListFacts* const list = op.list();
    if (list == nullptr || !passes_list_on(op.type)) return nullptr;
    const auto tensor = put_into_list(op);
    if (tensor && list->learn(*tensor)) has_news_ = true;
    return list;
  }

  // They helped to find shapes; in the model only constants have contents.
  void drop_helpers() {
    for (std::size_t i = 0; i < facts_.size(); ++i) {
      for (Facts& facts : facts_[i]) {
        facts.list = nullptr;
        if (graph_.nodes[i].kind != OpKind::kConstant) facts.contents.reset();
      }
    }
  }

  const FlatGraph& graph_;
  const Step& step_;
  const TensorFlowOptions& options_;
  TensorFlowReport& report_;
  std::vector<std::vector<Facts>> facts_;
  std::vector<std::uint32_t> read_;           // outputs of every node that somebody reads: the highest and those below
  std::map<std::uint32_t, ListFacts> lists_;  // by the node that makes them; kept from pass to pass
  bool has_news_ = false;                     // of some list
  std::size_t size_ = 0;
};

}  // namespace

Result<std::vector<std::vector<Facts>>> find_facts(const FlatGraph& graph, std::span<const std::uint32_t> order,
                                                   const Step& step, const TensorFlowOptions& options,
                                                   TensorFlowReport& report) {
  return FactFinder(graph, step, options, report).run(order);
}

}  // namespace berth::tensorflow

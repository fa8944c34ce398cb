// SPDX-License-Identifier: Apache-2.0
#include "import/tensorflow/tensorflow_graph.h"

#include <algorithm>
#include <set>

#include "import/tensorflow/colocation.h"
#include "import/tensorflow/facts.h"
#include "import/tensorflow/flat_graph.h"
#include "import/tensorflow/graph_def.h"
#include "import/tensorflow/loops.h"
#include "import/tensorflow/op_kinds.h"
#include "import/tensorflow/step.h"
#include "model/model.h"

namespace berth {
namespace tensorflow {
namespace {

// Distinct pairs of a tensor and a node that reads it, as the file has them.
std::size_t count_edges(const GraphDef& graph) {
  std::size_t edges = 0;
  std::vector<std::pair<std::string_view, std::uint32_t>> tensors;
  for (const NodeDef& node : graph.nodes) {
    tensors.clear();
    for (const std::string_view text : data_inputs(node)) {
      const auto input = parse_input(text);
      if (input) tensors.emplace_back(input->node, input->index);
    }
    std::ranges::sort(tensors);
    edges += static_cast<std::size_t>(std::unique(tensors.begin(), tensors.end()) - tensors.begin());
  }
  return edges;
}

// The scope of a name as a module path; gradients belong to the module of what they are the gradients of:
// "gradients/encoder/dense/MatMul_grad/MatMul_1" is part of "encoder.dense".
std::string module_of(std::string_view name) {
  constexpr std::string_view kGradients = "gradients/", kGradient = "_grad";
  const auto scope_of = [](std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
  };
  std::string_view scope = scope_of(name);
  if (name.starts_with(kGradients)) {
    scope.remove_prefix(std::min(scope.size(), kGradients.size()));
    if (scope.ends_with(kGradient)) scope = scope_of(scope);
  }
  std::string module(scope);
  std::ranges::replace(module, '/', '.');
  return module;
}

// More than kTooLarge are not told apart: lower() refuses whatever moves a byte so often.
std::int64_t trips(std::int64_t trip_count, std::uint32_t loops) {
  std::int64_t total = 1;
  for (; loops > 0 && total < kTooLarge; --loops) {
    if (__builtin_mul_overflow(total, trip_count, &total)) total = kTooLarge;
  }
  return total;
}

class ModelMaker {
 public:
  ModelMaker(const FlatGraph& graph, const Step& step, const TensorFlowOptions& options)
      : graph_(graph), step_(step), options_(options), colocation_(find_colocation(graph, step.keeps)) {}

  Model make(std::vector<std::vector<Facts>> facts) && {
    number_nodes();
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      first_value_.push_back(static_cast<ValueIndex>(model_.values.size()));
      if (step_.keeps[i] != 0) add_values(i, facts[i]);
    }
    first_value_.push_back(static_cast<ValueIndex>(model_.values.size()));
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      if (step_.keeps[i] == 0) continue;
      if (is_leaf(graph_.nodes[i].kind)) {
        add_leaves(i);
      } else {
        model_.nodes.push_back(make_node(i));
      }
    }
    add_outputs();
    return std::move(model_);
  }

 private:
  static constexpr std::uint32_t kNoNode = 0xffffffffU;

  void number_nodes() {
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const bool is_node = step_.keeps[i] != 0 && !is_leaf(graph_.nodes[i].kind);
      number_.push_back(is_node ? next++ : kNoNode);
    }
  }

  void add_values(std::uint32_t i, std::vector<Facts>& facts) {
    for (std::size_t k = 0; k < facts.size(); ++k) {
      const std::string& name = graph_.nodes[i].name;
      model_.add({.name = k == 0 ? name : fmt::format("{}:{}", name, k),
                  .dtype = facts[k].dtype,
                  .shape = std::move(facts[k].shape),
                  .contents = std::move(facts[k].contents)});
    }
  }

  void add_leaves(std::uint32_t i) {
    const FlatNode& flat = graph_.nodes[i];
    const OpKind kind = flat.kind;
    Leaf leaf{.device = std::string(colocation_.device[i])};
    leaf.role = kind == OpKind::kConstant ? Role::kConstant : kind == OpKind::kInput ? Role::kInput : Role::kParameter;
    if (kind == OpKind::kVariable) {
      const std::string_view shared = flat.attributes().string("shared_name");
      leaf.label = shared.empty() ? flat.name : std::string(shared);
    }
    if (kind != OpKind::kInput) leaf.colocate = std::string(colocation_.group[i]);  // inputs come from the host
    for (leaf.value = first_value_[i]; leaf.value < first_value_[i + 1]; ++leaf.value) model_.leaves.push_back(leaf);
  }

  Node make_node(std::uint32_t i) const {
    const FlatNode& flat = graph_.nodes[i];
    Node node{.name = flat.name, .type = std::string(flat.type())};
    for (const TensorRef& input : flat.inputs) node.inputs.push_back(first_value_[input.node] + input.output);
    for (ValueIndex value = first_value_[i]; value < first_value_[i + 1]; ++value) node.outputs.push_back(value);
    for (const std::uint32_t before : flat.control) {
      if (number_[before] != kNoNode) node.control.push_back(number_[before]);
    }
    node.attributes = flat.attributes().for_model();
    const std::int64_t total = trips(options_.trip_count, flat.loop_depth);
    if (total > 1) node.attributes.emplace_back("_trip_count", total);
    node.module = module_of(flat.name);
    node.colocate = std::string(colocation_.group[i]);
    node.device = std::string(colocation_.device[i]);
    return node;
  }

  void add_outputs() {
    std::set<ValueIndex> seen;
    for (const TensorRef& output : step_.outputs) {
      const ValueIndex value = first_value_[output.node] + output.output;
      if (value < first_value_[output.node + 1] && seen.insert(value).second) model_.outputs.push_back(value);
    }
  }

  const FlatGraph& graph_;
  const Step& step_;
  const TensorFlowOptions& options_;
  Colocation colocation_;
  Model model_;
  std::vector<ValueIndex> first_value_;  // per node, and the end
  std::vector<std::uint32_t> number_;    // per node: among the model's nodes
};

// A frozen graph has its weights as constants: where nothing is a variable, they are the parameters.
void find_frozen_weights(Model& model) {
  const auto is_parameter = [](const Leaf& leaf) { return leaf.role == Role::kParameter; };
  if (std::ranges::any_of(model.leaves, is_parameter)) return;
  for (Leaf& leaf : model.leaves) {
    if (leaf.role != Role::kConstant) continue;
    leaf.role = role_of_stored(model.values[leaf.value]);
    if (leaf.role == Role::kParameter) leaf.label = model.values[leaf.value].name;
  }
}

Result<Model> make_model(const GraphDef& def, const TensorFlowOptions& options, TensorFlowReport& report) {
  report.trip_count = options.trip_count;
  BERTH_TRY(FlatGraph graph, flatten(def, options, report));
  BERTH_TRY(const std::vector<std::uint32_t> order, cut_loops(graph, report));
  const Step step = select_step(graph, order, report);
  BERTH_TRY(std::vector<std::vector<Facts>> facts, find_facts(graph, order, step));
  Model model = ModelMaker(graph, step, options).make(std::move(facts));
  model.dialect = Dialect::kTensorFlow;
  find_frozen_weights(model);
  model.open_loops = report.loops;  // the file tells of none how often it turns
  model.open_branches = report.chosen_branches;
  model.left_out = report.left_out;
  model.source_nodes = def.nodes.size();
  model.source_edges = count_edges(def);
  return model;
}

}  // namespace
}  // namespace tensorflow

Result<Model> read_tensorflow_graph(std::string_view bytes, std::string title, const TensorFlowOptions& options,
                                    TensorFlowReport* report) {
  TensorFlowReport unread;
  TensorFlowReport& told = report != nullptr ? *report : unread;
  told = {};
  if (options.trip_count < 1) return bad_input("a loop runs {} times; expected 1 or more", options.trip_count);
  BERTH_TRY(const tensorflow::GraphDef def, tensorflow::read_graph_def(bytes, {options.tag, options.signature}));
  BERTH_TRY(Model model, tensorflow::make_model(def, options, told));
  model.title = std::move(title);
  return model;
}

Result<Model> read_tensorflow_graph_text(std::string_view text, std::string title, const TensorFlowOptions& options,
                                         TensorFlowReport* report) {
  BERTH_TRY(const std::string bytes, tensorflow::graph_text_to_wire(text));
  return read_tensorflow_graph(bytes, std::move(title), options, report);
}

}  // namespace berth

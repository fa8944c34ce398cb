// SPDX-License-Identifier: Apache-2.0
#include "model/shapes/tensorflow/shapes.h"

#include <map>
#include <vector>

#include "model/model.h"
#include "model/shapes/pass.h"
#include "model/shapes/tensorflow/lists.h"
#include "model/shapes/tensorflow/rules.h"

namespace berth {
namespace {

// Tensors, their dimensions and names together: a fixed part and so much per node. Hostile files whose nodes make
// thousands of outputs, or give each 32 dimensions, end here.
constexpr std::size_t kFreeSize = 262'144, kSizePerNode = 24;

// A list that one loop fills may hold what the next one reads: as many loops in a row are followed to their sizes.
constexpr int kMostPasses = 8;

void bind_inputs(Model& model, const DimSizes& sizes) {
  for (const Leaf& leaf : model.leaves) {
    Value& value = model.values[leaf.value];
    if (leaf.role != Role::kInput || !value.shape) continue;
    for (Dim& dim : *value.shape) {
      if (dim.known()) continue;
      const auto size = sizes.find(dim.symbol);
      if (size != sizes.end() && size->second >= 0) dim = Dim{size->second};
    }
  }
}

class TensorFlowPass {
 public:
  explicit TensorFlowPass(Model& model)
      : model_(model), stated_(model.values), pass_(model, tensorflow::tensorflow_rules(), none_) {
    pass_.adds_values = true;
  }

  Status run() {
    const std::vector<std::uint32_t> order = topological_order(model_);
    for (int pass = 0; pass < kMostPasses; ++pass) {
      has_news_ = false;
      BERTH_RETURN_IF_ERROR(walk(order));
      if (!has_news_) break;
      if (pass + 1 < kMostPasses) forget_inferred(model_, stated_);
    }
    drop_contents();
    return {};
  }

 private:
  // Loops are cut, so that a list may be read before we know what is put into it: then we have to come again.
  Status walk(const std::vector<std::uint32_t>& order) {
    pass_.known.lists.clear();
    size_ = 0;
    for (const Leaf& leaf : model_.leaves) size_ += size_of(leaf.value);
    for (const std::uint32_t at : order) {
      Node& node = model_.nodes[at];
      TensorList* const list = list_after(at, NodeView(model_, node, pass_.known));
      pass_.visit(node);
      for (const ValueIndex output : node.outputs) {
        if (list != nullptr) pass_.known.lists[output] = list;
        size_ += size_of(output);
      }
      if (const auto made = lists_.find(at); made != lists_.end() && made->second.element) {
        size_ += made->second.element->size();
      }
      BERTH_RETURN_IF_ERROR(check_size(node));
    }
    return {};
  }

  [[nodiscard]] std::size_t size_of(ValueIndex index) const {
    const Value& value = model_.values[index];
    return 1 + (value.shape ? value.shape->size() : 0) + value.name.size() / 32;
  }

  [[nodiscard]] Status check_size(const Node& node) const {
    const std::size_t nodes = model_.nodes.size() + model_.leaves.size();
    if (size_ <= kFreeSize + kSizePerNode * nodes) return {};
    return bad_input("node '{}': outputs and their dimensions are far too many for a graph of {} nodes", node.name,
                     nodes);
  }

  // The list that the op makes or passes on, with what it puts into it; null if it has nothing to do with one.
  TensorList* list_after(std::uint32_t at, const NodeView& op) {
    if (auto made = tensorflow::made_list(op)) {
      const auto [entry, is_new] = lists_.try_emplace(at, *made);
      TensorList& list = entry->second;
      if (!is_new && made->element && list.learn(*made->element)) has_news_ = true;
      list.length = made->length;
      return &list;
    }
    TensorList* const list = op.list();
    if (list == nullptr || !tensorflow::passes_list_on(op.type())) return nullptr;
    const auto tensor = tensorflow::put_into_list(op);
    if (tensor && list->learn(*tensor)) has_news_ = true;
    return list;
  }

  // They helped to find shapes; in the model only constants have contents.
  void drop_contents() {
    for (const Node& node : model_.nodes) {
      for (const ValueIndex output : node.outputs) model_.values[output].contents.reset();
    }
  }

  Model& model_;
  const std::vector<Value> stated_;
  const DimSizes none_ = {};  // no rule opens sizes
  ShapePass pass_;
  std::map<std::uint32_t, TensorList> lists_;  // by the node that makes them; kept from pass to pass
  bool has_news_ = false;                      // of some list
  std::size_t size_ = 0;
};

}  // namespace

Status infer_tensorflow_shapes(Model& model, const DimSizes& sizes) {
  bind_inputs(model, sizes);
  return TensorFlowPass(model).run();
}

}  // namespace berth

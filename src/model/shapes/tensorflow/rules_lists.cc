// SPDX-License-Identifier: Apache-2.0
// Rules of ops that read and write lists of tensors (lists.h).
#include "model/shapes/tensorflow/rules.h"

#include <array>

#include "model/shapes/tensorflow/lists.h"

namespace berth::tensorflow {
namespace {

// As many as the op or the list says of what is known of a tensor.
std::optional<Shape> stacked(const Dim& count, const std::optional<Shape>& element) {
  return with_first(count, element ? &*element : nullptr, 0);
}

Dim length_of(const NodeView& op) {
  const TensorList* list = op.list();
  return list != nullptr && list->length ? known_dim(*list->length) : Dim{};
}

std::optional<Shape> element(const NodeView& op, std::optional<Shape> stated) {
  const TensorList* list = op.list();
  return completed(std::move(stated), list != nullptr ? list->element : std::nullopt);
}

Outputs new_array(const NodeView&) { return {Shape{Dim{2}}, Shape()}; }  // handle, flow
Outputs list_number(const NodeView&) { return one(Shape()); }            // the handle of a list, a flow, a length

Outputs array_read(const NodeView& op) { return one(element(op, std::nullopt)); }

Outputs array_gather(const NodeView& op) {
  const Shape* indices = op.shape(1);
  const bool counted = indices != nullptr && indices->size() == 1 && indices->front().known();
  return one(stacked(counted ? indices->front() : length_of(op), element(op, stated_by(op, "element_shape"))));
}

// All tensors one behind the other, and how long each is.
Outputs joined(const NodeView& op, std::optional<Shape> stated) {
  const Dim count = length_of(op);
  auto shape = element(op, std::move(stated));
  if (shape && !shape->empty()) shape->front() = product_of(shape->front(), count);
  return {std::move(shape), Shape{count}};
}
Outputs array_concat(const NodeView& op) { return joined(op, std::nullopt); }
Outputs list_concat(const NodeView& op) { return joined(op, stated_in(op, 1)); }

Outputs list_get(const NodeView& op) { return one(element(op, stated_in(op, 2))); }
Outputs list_pop(const NodeView& op) { return {Shape(), element(op, stated_in(op, 1))}; }

Outputs list_stack(const NodeView& op) {
  const Dim stated = known_dim(op.integer("num_elements", -1));
  return one(stacked(stated.known() ? stated : length_of(op), element(op, stated_in(op, 1))));
}

Outputs list_gather(const NodeView& op) {
  const Shape* indices = op.shape(1);
  const Dim count = indices != nullptr && indices->size() == 1 ? indices->front() : Dim{};
  return one(stacked(count, element(op, stated_in(op, 2))));
}

Outputs list_element_shape(const NodeView& op) {
  const auto shape = element(op, std::nullopt);
  return one(Shape{shape ? Dim{static_cast<std::int64_t>(shape->size())} : Dim{}});
}

constexpr std::array kListsRules{
    RuleRow{"TensorArrayV3 TensorArrayGradV3", new_array},
    RuleRow{"TensorArrayWriteV3 TensorArrayScatterV3 TensorArraySizeV3 EmptyTensorList TensorListReserve "
            "TensorListFromTensor TensorListSetItem TensorListPushBack TensorListLength",
            list_number},
    RuleRow{"TensorArrayReadV3", array_read},
    RuleRow{"TensorArrayGatherV3", array_gather},
    RuleRow{"TensorArrayConcatV3", array_concat},
    RuleRow{"TensorListPopBack", list_pop},
    RuleRow{"TensorListGetItem", list_get},
    RuleRow{"TensorListStack", list_stack},
    RuleRow{"TensorListGather", list_gather},
    RuleRow{"TensorListConcatV2", list_concat},
    RuleRow{"TensorListElementShape", list_element_shape},
};

}  // namespace

std::span<const RuleRow> list_rules() { return kListsRules; }

}  // namespace berth::tensorflow

// SPDX-License-Identifier: Apache-2.0
// Lists of tensors: TensorArray of TensorFlow 1 (a handle, and a flow that orders its writes), TensorList of
// TensorFlow 2 (a value that every write makes anew). Recurrent layers read and write them once a turn.
#include <algorithm>
#include <array>

#include "import/tensorflow/shape_tools.h"

namespace berth::tensorflow {
namespace {

// As many as the op or the list says of what is known of a tensor.
std::optional<Shape> stacked(const Dim& count, const std::optional<Shape>& element) {
  return with_first(count, element ? &*element : nullptr, 0);
}

Dim length_of(const OpContext& op) {
  const ListFacts* list = op.list();
  return list != nullptr && list->length ? dim_of(*list->length) : Dim{};
}

std::optional<Shape> element(const OpContext& op, std::optional<Shape> stated) {
  const ListFacts* list = op.list();
  return completed(std::move(stated), list != nullptr ? list->element : std::nullopt);
}

Shapes array(const OpContext&) { return {Shape{Dim{2}}, Shape()}; }  // handle, flow

Shapes array_read(const OpContext& op) { return one(element(op, std::nullopt)); }

Shapes array_gather(const OpContext& op) {
  const Shape* indices = op.shape(1);
  const bool counted = indices != nullptr && indices->size() == 1 && indices->front().known();
  return one(stacked(counted ? indices->front() : length_of(op), element(op, op.attributes.shape("element_shape"))));
}

// All tensors one behind the other, and how long each is.
Shapes joined(const OpContext& op, std::optional<Shape> stated) {
  const Dim count = length_of(op);
  auto shape = element(op, std::move(stated));
  if (shape && !shape->empty()) shape->front() = product(shape->front(), count);
  return {std::move(shape), Shape{count}};
}
Shapes array_concat(const OpContext& op) { return joined(op, std::nullopt); }
Shapes list_concat(const OpContext& op) { return joined(op, stated_in(op, 1)); }

Shapes list_get(const OpContext& op) { return one(element(op, stated_in(op, 2))); }
Shapes list_pop(const OpContext& op) { return {Shape(), element(op, stated_in(op, 1))}; }

Shapes list_stack(const OpContext& op) {
  const Dim stated = dim_of(op.attributes.integer("num_elements").value_or(-1));
  return one(stacked(stated.known() ? stated : length_of(op), element(op, stated_in(op, 1))));
}

Shapes list_gather(const OpContext& op) {
  const Shape* indices = op.shape(1);
  const Dim count = indices != nullptr && indices->size() == 1 ? indices->front() : Dim{};
  return one(stacked(count, element(op, stated_in(op, 2))));
}

Shapes list_element_shape(const OpContext& op) {
  const auto shape = element(op, std::nullopt);
  return one(Shape{shape ? Dim{static_cast<std::int64_t>(shape->size())} : Dim{}});
}

constexpr std::array kListRules{RuleRow{"TensorArrayV3", array},
                                RuleRow{"TensorArrayGradV3", array},
                                RuleRow{"TensorArrayWriteV3", scalar},
                                RuleRow{"TensorArrayScatterV3", scalar},
                                RuleRow{"TensorArrayReadV3", array_read},
                                RuleRow{"TensorArrayGatherV3", array_gather},
                                RuleRow{"TensorArrayConcatV3", array_concat},
                                RuleRow{"TensorArraySizeV3", scalar},
                                RuleRow{"EmptyTensorList", scalar},
                                RuleRow{"TensorListReserve", scalar},
                                RuleRow{"TensorListFromTensor", scalar},
                                RuleRow{"TensorListSetItem", scalar},
                                RuleRow{"TensorListPushBack", scalar},
                                RuleRow{"TensorListPopBack", list_pop},
                                RuleRow{"TensorListGetItem", list_get},
                                RuleRow{"TensorListStack", list_stack},
                                RuleRow{"TensorListGather", list_gather},
                                RuleRow{"TensorListConcatV2", list_concat},
                                RuleRow{"TensorListElementShape", list_element_shape},
                                RuleRow{"TensorListLength", scalar}};

// Which of its inputs an op puts into a list: one tensor, or as many as its first dimension says.
struct Writer {
  std::string_view type;
  std::size_t input;
  bool is_stack = false;
};
constexpr std::array kWriters{Writer{"TensorArrayWriteV3", 2}, Writer{"TensorArrayScatterV3", 2, true},
                              Writer{"TensorListSetItem", 2}, Writer{"TensorListPushBack", 1}};

constexpr std::array<std::string_view, 18> kPassOn{"TensorArrayGradV3",
                                                   "TensorArrayWriteV3",
                                                   "TensorArrayScatterV3",
                                                   "TensorListSetItem",
                                                   "TensorListPushBack",
                                                   "TensorListPopBack",
                                                   "Identity",
                                                   "StopGradient",
                                                   "Enter",
                                                   "RefEnter",
                                                   "Exit",
                                                   "RefExit",
                                                   "NextIteration",
                                                   "RefNextIteration",
                                                   "Switch",
                                                   "RefSwitch",
                                                   "Merge",
                                                   "RefMerge"};

constexpr std::array<std::string_view, 8> kHandles{"TensorArrayV3",        "TensorArrayGradV3", "EmptyTensorList",
                                                   "TensorListReserve",    "TensorListSetItem", "TensorListPushBack",
                                                   "TensorListFromTensor", "TensorListPopBack"};

}  // namespace

std::span<const RuleRow> list_rules() { return kListRules; }

ListFacts ListFacts::stated(std::optional<Shape> shape, std::optional<std::int64_t> count) {
  ListFacts list{.element = std::move(shape), .length = count};
  if (!list.element) return list;
  for (const Dim& dim : *list.element) list.settled.push_back(dim.known() ? 1 : 0);
  return list;
}

bool ListFacts::learn(const Shape& tensor) {
  if (!element) {
    element = tensor;
    settled.assign(tensor.size(), 0);
    return true;
  }
  if (tensor.size() != element->size()) return false;  // what was there first counts
  bool is_news = false;
  for (std::size_t i = 0; i < tensor.size(); ++i) {
    Dim& known = (*element)[i];
    if (settled[i] != 0 || !tensor[i].known() || known.size == tensor[i].size) continue;
    settled[i] = known.known() ? 1 : 0;  // they differ
    known = known.known() ? Dim{} : tensor[i];
    is_news = true;
  }
  return is_news;
}

std::optional<ListFacts> made_list(const OpContext& op) {
  if (op.type == "TensorArrayV3") {
    const bool grows = op.attributes.boolean("dynamic_size");
    return ListFacts::stated(op.attributes.shape("element_shape"), grows ? std::nullopt : op.scalar(0));
  }
  if (op.type == "TensorListReserve") return ListFacts::stated(stated_in(op, 0), op.scalar(1));
  if (op.type == "EmptyTensorList") return ListFacts::stated(stated_in(op, 0), std::nullopt);
  if (op.type != "TensorListFromTensor") return std::nullopt;
  const Shape* tensor = op.shape(0);
  if (tensor == nullptr || tensor->empty()) return ListFacts::stated(stated_in(op, 1), std::nullopt);
  const Dim& length = tensor->front();
  return ListFacts::stated(completed(stated_in(op, 1), Shape(tensor->begin() + 1, tensor->end())),
                           length.known() ? std::optional(length.size) : std::nullopt);
}

bool passes_list_on(std::string_view type) { return std::ranges::find(kPassOn, type) != kPassOn.end(); }

std::optional<Shape> put_into_list(const OpContext& op) {
  const auto writer = std::ranges::find(kWriters, op.type, &Writer::type);
  const Shape* tensor = writer != kWriters.end() ? op.shape(writer->input) : nullptr;
  if (tensor == nullptr || (writer->is_stack && tensor->empty())) return std::nullopt;
  return Shape(tensor->begin() + (writer->is_stack ? 1 : 0), tensor->end());
}

bool is_handle(std::string_view type, std::size_t output) {
  return output == 0 && std::ranges::find(kHandles, type) != kHandles.end();
}

}  // namespace berth::tensorflow

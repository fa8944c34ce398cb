// SPDX-License-Identifier: Apache-2.0
#include "model/shapes/tensorflow/lists.h"

#include <algorithm>
#include <array>

#include "model/shapes/tensorflow/rules.h"

namespace berth {

TensorList TensorList::stated(std::optional<Shape> shape, std::optional<std::int64_t> count) {
  TensorList list{.element = std::move(shape), .length = count};
  if (!list.element) return list;
  for (const Dim& dim : *list.element) list.settled.push_back(dim.known() ? 1 : 0);
  return list;
}

bool TensorList::learn(const Shape& tensor) {
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

namespace tensorflow {
namespace {

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

std::optional<TensorList> made_list(const NodeView& op) {
  if (op.type() == "TensorArrayV3") {
    const bool grows = op.is_set("dynamic_size");
    return TensorList::stated(stated_by(op, "element_shape"), grows ? std::nullopt : op.number(0));
  }
  if (op.type() == "TensorListReserve") return TensorList::stated(stated_in(op, 0), op.number(1));
  if (op.type() == "EmptyTensorList") return TensorList::stated(stated_in(op, 0), std::nullopt);
  if (op.type() != "TensorListFromTensor") return std::nullopt;
  const Shape* tensor = op.shape(0);
  if (tensor == nullptr || tensor->empty()) return TensorList::stated(stated_in(op, 1), std::nullopt);
  const Dim& length = tensor->front();
  return TensorList::stated(completed(stated_in(op, 1), Shape(tensor->begin() + 1, tensor->end())),
                            length.known() ? std::optional(length.size) : std::nullopt);
}

bool passes_list_on(std::string_view type) { return std::ranges::find(kPassOn, type) != kPassOn.end(); }

std::optional<Shape> put_into_list(const NodeView& op) {
  const auto writer = std::ranges::find(kWriters, op.type(), &Writer::type);
  const Shape* tensor = writer != kWriters.end() ? op.shape(writer->input) : nullptr;
  if (tensor == nullptr || (writer->is_stack && tensor->empty())) return std::nullopt;
  return Shape(tensor->begin() + (writer->is_stack ? 1 : 0), tensor->end());
}

bool is_handle(std::string_view type, std::size_t output) {
  return output == 0 && std::ranges::find(kHandles, type) != kHandles.end();
}

}  // namespace tensorflow
}  // namespace berth

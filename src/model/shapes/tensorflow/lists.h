// SPDX-License-Identifier: Apache-2.0
// Lists of tensors: TensorArray of TensorFlow 1 (a handle, and a flow that orders its writes), TensorList of
// TensorFlow 2 (a value that every write makes anew). Recurrent layers read and write them once a turn.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/shapes/node_view.h"

namespace berth {

// What is known of a list (TensorListReserve, TensorArrayV3 and their kin), which handles and flows stand for. It holds
// at every op that has to do with it: a loop that is cut fills the list behind the back of its readers.
struct TensorList {
  std::optional<Shape> element = {};  // of each of its tensors
  std::vector<char> settled = {};     // per dimension of it: the file says it, or tensors differ in it
  std::optional<std::int64_t> length = {};

  // Of a list whose maker states so much.
  static TensorList stated(std::optional<Shape> shape, std::optional<std::int64_t> count);
  // Adds what one of its tensors tells. Returns whether that is news.
  bool learn(const Shape& tensor);
};

namespace tensorflow {

std::optional<TensorList> made_list(const NodeView& op);    // if the op makes one
bool passes_list_on(std::string_view type);                 // its outputs stand for the list of its inputs
std::optional<Shape> put_into_list(const NodeView& op);     // shape of a tensor that it adds
bool is_handle(std::string_view type, std::size_t output);  // of a list: no tensor, so it has no data type

}  // namespace tensorflow
}  // namespace berth

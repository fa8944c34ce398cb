// SPDX-License-Identifier: Apache-2.0
// Values of an aten-graph/1 file: the outputs of the ops read so far, and the arguments of calls that are no tensors.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "files/json/json_reader.h"
#include "graph/builder.h"
#include "model/model.h"

namespace berth {

// Which outputs the ops have, and which of them a reference means.
class AtenOutputs {
 public:
  // Outputs of the next op. A mask says which of the op's outputs exist, if not all do; `tensors` are those that exist.
  void add(std::vector<TensorSpec> tensors, std::vector<bool> mask);

  [[nodiscard]] std::size_t num_ops() const { return ops_.size(); }
  [[nodiscard]] const TensorSpec& tensor(OutputRef ref) const;
  [[nodiscard]] Bytes bytes(OutputRef ref) const;  // 0 when it overflows: GraphBuilder refuses such a tensor anyway
  // Appends every output of an op: what an argument that names the op as a whole stands for.
  void append_all(OpId op, std::vector<OutputRef>& refs) const;
  // The output that a getitem with this number picks; none if it does not exist.
  [[nodiscard]] std::optional<OutputRef> pick(OpId op, std::int64_t number) const;

 private:
  struct Outputs {
    std::vector<TensorSpec> tensors;
    std::vector<bool> mask;  // empty: all exist
  };
  std::vector<Outputs> ops_;
};

// Strides, sizes, types, words.
using NamedConstants = std::vector<std::pair<std::string, Attribute>>;

// For people: an argument that is none of the known kinds is left out. Arguments by position are called "args[3]".
Result<NamedConstants> aten_constants(const std::optional<JsonValue>& args, const std::optional<JsonValue>& kwargs);

}  // namespace berth

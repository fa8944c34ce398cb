// SPDX-License-Identifier: Apache-2.0
// AtenOutputs: the outputs of the ops of an aten-graph/1 file read so far, and which of them a reference means.
#pragma once

#include <optional>
#include <vector>

#include "base/ids.h"
#include "graph/builder.h"

namespace berth {

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

}  // namespace berth

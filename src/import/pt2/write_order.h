// SPDX-License-Identifier: Apache-2.0
// Exported programs may write into tensors that exist (aten.add_, aten.copy_ into a slice of a cache). The result of
// such a node is a value of its own, but others may read the same storage under an older name: those before it must
// have ended when it writes, those after it must wait for it. Such orders become control edges; most programs need
// none.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "model/model.h"

namespace berth {

class Pt2WriteOrder {
 public:
  // Adds the control edges of the model's next node, whose inputs and outputs are known. To be called for every node in
  // the order in which they run; `index` is its place in the model.
  void add(std::uint32_t index, Node& node);

 private:
  struct Storage {
    std::optional<std::uint32_t> writer = {};  // the last one
    std::vector<std::uint32_t> readers = {};   // since then
  };
  struct Origin {
    ValueIndex storage = kNoValue;  // the value whose bytes these are
    std::uint32_t written_by =
        0;  // one more than the node whose writing it surely sees; 0: what was there at the start
  };
  Origin origin(ValueIndex value) const;

  std::map<ValueIndex, Origin> origins_;  // of values that nodes make
  std::map<ValueIndex, std::uint32_t> makers_;
  std::map<ValueIndex, Storage> storages_;
};

}  // namespace berth

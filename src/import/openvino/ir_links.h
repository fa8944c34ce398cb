// SPDX-License-Identifier: Apache-2.0
// The edges of an OpenVINO file, resolved: who makes each input of each layer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "import/openvino/ir_net.h"

namespace berth::openvino {

struct IrSource {
  std::uint32_t layer = 0;   // position in the file
  std::uint32_t output = 0;  // position among its outputs
  auto operator<=>(const IrSource&) const = default;
};

struct IrLinks {
  std::vector<std::vector<IrSource>> sources;  // by layer, by input
  std::vector<std::uint32_t> order;            // layers, producers before consumers
  std::size_t num_edges = 0;                   // distinct (output, consumer) pairs
};

// Checks that ids are unique, that every edge joins ports that exist, that every input has exactly one edge, and that
// there is no cycle. O(n log n), whatever the ids are.
Result<IrLinks> link_layers(const IrNet& net);

// Positions of layers by id; checks that ids are unique.
class IrLayerIndex {
 public:
  static Result<IrLayerIndex> make(const IrNet& net);
  [[nodiscard]] Result<std::uint32_t> find(std::uint64_t id) const;  // an error names the id

 private:
  struct Entry {
    std::uint64_t id;
    std::uint32_t layer;
    auto operator<=>(const Entry&) const = default;
  };
  std::vector<Entry> entries_;  // sorted
};

}  // namespace berth::openvino

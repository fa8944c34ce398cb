// SPDX-License-Identifier: Apache-2.0
// FlatGraph: what the engine reads in its inner loop, as plain arrays of 32-bit numbers. A node is an op, or a fused
// group under the id of its lowest member; tensors keep the ids they have in the graph. Made once per problem, and anew
// for every plan that fuses ops.
#pragma once

#include <cstdint>
#include <span>

#include "base/huge_pages.h"
#include "problem/problem.h"

namespace berth {

struct FlatGraph {
  enum class Storage : std::uint8_t {
    kOwn,       // allocates its outputs when it starts
    kResident,  // outputs live in memory that is held all the time
    kAlias,     // outputs share the storage of the first input
    kAbsent,    // a fused op that another node stands for
  };

  // Per node.
  HugeVector<Storage> storage;
  HugeVector<std::uint32_t> num_waits;               // distinct inputs + control predecessors
  HugeVector<std::uint32_t> sources;                 // nodes that wait for nothing
  HugeVector<std::uint32_t> input_begin, inputs;     // distinct tensors
  HugeVector<std::uint32_t> output_begin, outputs;   // tensors
  HugeVector<std::uint32_t> control_begin, control;  // successors
  HugeVector<std::uint32_t> alias_of;                // tensor that a kAlias node looks at
  HugeVector<Bytes> output_bytes;                    // allocated at the start; 0 unless kOwn
  HugeVector<Picoseconds> durations;                 // [node * num_classes + class]
  int num_classes = 1;
  // Per tensor.
  HugeVector<std::uint32_t> consumer_begin, consumers;  // nodes
  HugeVector<std::uint32_t> producer;                   // op, not node: it names the tensor
  HugeVector<Bytes> bytes;
  HugeVector<std::uint8_t> kept;  // graph outputs live to the end

  void find_sources();  // from num_waits and storage

  [[nodiscard]] std::size_t num_nodes() const { return storage.size(); }
  [[nodiscard]] std::size_t num_tensors() const { return bytes.size(); }
  [[nodiscard]] std::span<const std::uint32_t> inputs_of(std::uint32_t node) const {
    return row(inputs, input_begin, node);
  }
  [[nodiscard]] std::span<const std::uint32_t> outputs_of(std::uint32_t node) const {
    return row(outputs, output_begin, node);
  }
  [[nodiscard]] std::span<const std::uint32_t> control_of(std::uint32_t node) const {
    return row(control, control_begin, node);
  }
  [[nodiscard]] std::span<const std::uint32_t> consumers_of(std::uint32_t tensor) const {
    return row(consumers, consumer_begin, tensor);
  }

 private:
  static std::span<const std::uint32_t> row(const HugeVector<std::uint32_t>& data,
                                            const HugeVector<std::uint32_t>& begin, std::uint32_t i) {
    return {data.data() + begin[i], data.data() + begin[i + 1]};
  }
};

FlatGraph flatten(const Problem& problem);

// The same with every fusion group of the plan drawn together into one node: distinct outside inputs, outputs that
// leave the group, and the duration of the group on the plan's device. The plan must pass verify().
FlatGraph flatten_fused(const Problem& problem, const Plan& plan, const FlatGraph& unfused);

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
// FlatGraph: what the engine reads in its inner loop, as plain arrays of small numbers: what is read together stands
// together. A node is an op, or a fused group under the id of its lowest member; tensors keep the ids they have in the
// graph. Made once per problem, and anew for every plan that fuses ops.
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

  // Rows of outputs, control successors and inputs begin here, and end where those of the next node begin.
  struct Node {
    std::uint32_t output_begin, control_begin, input_begin;
    std::uint32_t looks_at;  // tensor that a view looks at; else one of the three below
  };
  static constexpr std::uint32_t kOwnsOutputs = 0xffffffffU, kIsResident = 0xfffffffeU, kIsAbsent = 0xfffffffdU;

  struct Tensor {
    std::uint32_t consumer_begin;
    std::uint32_t first_uses;  // of its storage, before anybody reads it: a graph output has one that never ends
    Bytes bytes;
  };
  static constexpr std::uint32_t kIsView = 1U << 31;  // among the first uses
  static constexpr std::uint32_t kForever = 1U << 29;

  struct Start {  // of a node on a class of devices
    Picoseconds duration;
    Bytes bytes;  // that its outputs take from then on
  };

  // A node in one word: what it waits for, whether it takes no time, and its device.
  static constexpr std::uint32_t kDeviceMask = 63, kTimeless = 64, kOneWait = 128;
  static_assert(kDeviceMask + 1 == kMaxDevices);

  HugeVector<Node> nodes;                 // and one more
  HugeVector<Start> starts;               // [class * nodes + node]
  HugeVector<std::uint32_t> words;        // per node, before anything has happened, without a device
  std::vector<std::uint32_t> now_and_then_timeless;  // nodes that take no time on some classes of devices, but do on others
  HugeVector<std::uint32_t> num_waits;    // per node: distinct inputs + control predecessors
  HugeVector<std::uint32_t> sources;      // nodes that wait for nothing
  HugeVector<std::uint32_t> outputs, control, inputs;  // tensors, nodes, distinct tensors
  HugeVector<Tensor> tensors;                          // and one more
  HugeVector<std::uint32_t> consumers;                 // nodes
  HugeVector<std::uint32_t> producer;                  // op, not node: it names the tensor
  std::size_t num_classes = 1;

  void finish();  // sources and words, from the rest

  [[nodiscard]] std::size_t num_nodes() const { return num_waits.size(); }
  [[nodiscard]] std::size_t num_tensors() const { return producer.size(); }
  [[nodiscard]] Storage storage(std::uint32_t node) const;
  [[nodiscard]] bool is_view(std::uint32_t tensor) const { return (tensors[tensor].first_uses & kIsView) != 0; }
  [[nodiscard]] bool is_kept(std::uint32_t tensor) const { return (tensors[tensor].first_uses & 1) != 0; }
  [[nodiscard]] Bytes bytes(std::uint32_t tensor) const { return tensors[tensor].bytes; }
  [[nodiscard]] Bytes output_bytes(std::uint32_t node) const { return starts[node].bytes; }
  [[nodiscard]] Picoseconds duration(std::uint32_t node, int device_class) const {
    return starts[static_cast<std::size_t>(device_class) * num_nodes() + node].duration;
  }
  [[nodiscard]] std::span<const std::uint32_t> inputs_of(std::uint32_t node) const {
    return row(inputs, nodes[node].input_begin, nodes[node + 1].input_begin);
  }
  [[nodiscard]] std::span<const std::uint32_t> outputs_of(std::uint32_t node) const {
    return row(outputs, nodes[node].output_begin, nodes[node + 1].output_begin);
  }
  [[nodiscard]] std::span<const std::uint32_t> control_of(std::uint32_t node) const {
    return row(control, nodes[node].control_begin, nodes[node + 1].control_begin);
  }
  [[nodiscard]] std::span<const std::uint32_t> consumers_of(std::uint32_t tensor) const {
    return row(consumers, tensors[tensor].consumer_begin, tensors[tensor + 1].consumer_begin);
  }

 private:
  static std::span<const std::uint32_t> row(const HugeVector<std::uint32_t>& data, std::uint32_t begin,
                                            std::uint32_t end) {
    return {data.data() + begin, data.data() + end};
  }
};

FlatGraph flatten(const Problem& problem);

// The same with every fusion group of the plan drawn together into one node: distinct outside inputs, outputs that
// leave the group, and the duration of the group on the plan's device. The plan must pass verify().
FlatGraph flatten_fused(const Problem& problem, const Plan& plan, const FlatGraph& unfused);

}  // namespace berth

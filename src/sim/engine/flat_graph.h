// SPDX-License-Identifier: Apache-2.0
// FlatGraph: what the engine reads in its inner loop, as plain arrays of small numbers: what is read together stands
// together, in the order of use. A node is an op, or a fused group under the id of its lowest member; tensors keep the
// ids they have in the graph. Made once per problem, and anew for every plan that fuses ops.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/huge_pages.h"
#include "problem/problem.h"

namespace berth {

struct FlatGraph {
  enum class Storage : std::uint8_t {
    kOwn,       // allocates its outputs when it starts
    kResident,  // outputs live in memory that is held all the time
    kAlias,     // outputs share the storage of the first input
    kAbsent,    // a fused op that another node stands for, which takes no time
  };

  // What the end of a node does, word by word:
  //   the tensor that it looks at if it is a view, else one of the three below
  //   number of outputs, and for each: the tensor, its first uses, the number of its readers, the readers (nodes)
  //   number of control successors, these
  //   number of inputs, these: distinct tensors
  HugeVector<std::uint32_t> script;
  HugeVector<std::uint32_t> node_begin;    // per node, into the script
  HugeVector<std::uint32_t> tensor_begin;  // per tensor, into the script
  static constexpr std::uint32_t kOwnsOutputs = 0xffffffffU, kIsResident = 0xfffffffeU, kIsAbsent = 0xfffffffdU;

  // First uses: those of its storage before anybody reads it. A graph output has one that never ends.
  static constexpr std::uint32_t kIsView = 1U << 31;
  static constexpr std::uint32_t kForever = 1U << 29;

  struct Start {
    Picoseconds duration;
    Bytes bytes;  // that its outputs take from then on
  };
  HugeVector<Start> starts;  // [class of devices * nodes + node]

  HugeVector<std::uint32_t> sources;    // nodes that wait for nothing
  HugeVector<std::uint32_t> num_waits;  // per node: distinct inputs + control predecessors
  HugeVector<std::uint32_t> producer;   // per tensor: an op, not a node; it names the tensor
  HugeVector<Bytes> bytes;              // per tensor
  std::size_t num_classes = 1;

  class Outputs {  // tensors
   public:
    class Iterator {
     public:
      explicit Iterator(const std::uint32_t* at, std::uint32_t left) : at_(at), left_(left) {}
      std::uint32_t operator*() const { return at_[0]; }
      Iterator& operator++() { return at_ += 3 + at_[2], --left_, *this; }
      bool operator==(const Iterator& other) const { return left_ == other.left_; }

     private:
      const std::uint32_t* at_;
      std::uint32_t left_;
    };
    explicit Outputs(const std::uint32_t* count) : count_(count) {}
    [[nodiscard]] Iterator begin() const { return Iterator(count_ + 1, *count_); }
    [[nodiscard]] Iterator end() const { return Iterator(nullptr, 0); }

   private:
    const std::uint32_t* count_;
  };

  [[nodiscard]] std::size_t num_nodes() const { return num_waits.size(); }
  [[nodiscard]] std::size_t num_tensors() const { return producer.size(); }
  [[nodiscard]] std::uint32_t looks_at(std::uint32_t node) const { return script[node_begin[node]]; }
  [[nodiscard]] Storage storage(std::uint32_t node) const;
  [[nodiscard]] bool is_view(std::uint32_t tensor) const { return (first_uses(tensor) & kIsView) != 0; }
  [[nodiscard]] bool is_kept(std::uint32_t tensor) const { return (first_uses(tensor) & 1) != 0; }
  [[nodiscard]] std::uint32_t first_uses(std::uint32_t tensor) const { return script[tensor_begin[tensor] + 1]; }
  [[nodiscard]] Bytes output_bytes(std::uint32_t node) const { return starts[node].bytes; }
  [[nodiscard]] Picoseconds duration(std::uint32_t node, int device_class) const {
    return starts[static_cast<std::size_t>(device_class) * num_nodes() + node].duration;
  }
  [[nodiscard]] Outputs outputs_of(std::uint32_t node) const { return Outputs(&script[node_begin[node] + 1]); }
  [[nodiscard]] std::span<const std::uint32_t> consumers_of(std::uint32_t tensor) const {
    return list(&script[tensor_begin[tensor] + 2]);
  }
  [[nodiscard]] std::span<const std::uint32_t> control_of(std::uint32_t node) const;
  [[nodiscard]] std::span<const std::uint32_t> inputs_of(std::uint32_t node) const;

 private:
  static std::span<const std::uint32_t> list(const std::uint32_t* count) { return {count + 1, *count}; }
};

FlatGraph flatten(const Problem& problem);

// The same with every fusion group of the plan drawn together into one node: distinct outside inputs, outputs that
// leave the group, and the duration of the group on the plan's device. The plan must pass verify().
FlatGraph flatten_fused(const Problem& problem, const Plan& plan, const FlatGraph& unfused);

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
// GraphBuilder: collects ops in any order and checks them once, in build(). Importers, the zoo and tests use it.
//
//   GraphBuilder builder("toy");
//   const OpId a = builder.add({.name = "a", .type = "input", .role = Role::kInput, .outputs = {{DType::kF32, {64}}}});
//   builder.add({.name = "b", .type = "relu", .inputs = {{a, 0}}, .outputs = {{DType::kF32, {64}}}});
//   BERTH_TRY(Graph graph, std::move(builder).build());
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "graph/graph.h"

namespace berth {

struct OutputRef {
  OpId op = kNoOp;
  int output = 0;
  bool operator==(const OutputRef&) const = default;
};

struct TensorSpec {
  DType dtype = DType::kF32;
  std::vector<std::int64_t> shape = {};  // empty: a scalar
};

// Bytes of a tensor, rounded up; -1 where a dimension is negative or the size beyond kMaxTotalBytes.
Bytes tensor_bytes(const TensorSpec& tensor);

// Everything about one op. Ids may point forward; build() checks them. Every member has a default, so that callers may
// name just those they need without a warning.
struct OpSpec {
  std::string_view name = {};  // unique, not empty; copied
  std::string_view type = {};
  Role role = Role::kCompute;
  std::vector<OutputRef> inputs = {};
  std::vector<OpId> control_inputs = {};
  std::vector<TensorSpec> outputs = {};
  double flops = 0.0;
  Bytes bytes_touched = -1;  // -1: distinct inputs + outputs
  std::string_view module = {};
  std::string_view label = {};
  std::string_view attributes = {};  // for people: lines of "name = value"
  std::string_view colocate = {};    // name of a colocation group, "" for none
  KindSet allowed = kAnyKind;
  OpId updates = kNoOp;     // parameter written by this update op
  OpId forward_of = kNoOp;  // forward op whose gradient this is
};

// Caps that keep hostile files small; build() and the readers refuse more.
inline constexpr std::size_t kMaxOps = 20'000'000;
inline constexpr std::size_t kMaxTensors = 45'000'000;
inline constexpr std::size_t kMaxEdges = 100'000'000;
inline constexpr int kMaxRank = 32;
// Sum over all tensors: far beyond any model, and small enough that a copy of everything on each of 64 devices, with an
// optimiser's copies of the parameters, still fits in 62 bits.
inline constexpr Bytes kMaxTotalBytes = Bytes{1} << 55;
inline constexpr std::size_t kMaxNameLength = 4096;
inline constexpr std::size_t kMaxAttributesLength = 1024;

// For GraphBuilder::set_source_counts(), and what holds until it is called: nodes or edges as the graph has them.
inline constexpr std::size_t kAsCounted = static_cast<std::size_t>(-1);

class GraphBuilder {
 public:
  explicit GraphBuilder(std::string title);

  OpId add(const OpSpec& op);
  [[nodiscard]] std::size_t num_ops() const { return graph_.role_.size(); }
  void reserve(std::size_t ops);

  void mark_output(OutputRef tensor);  // graph output: kept to the end of the step
  void set_optimizer(Optimizer optimizer) { graph_.optimizer_ = optimizer; }
  void set_source_counts(std::size_t nodes, std::size_t edges);
  // Measured time of one op on a device model; seconds >= 0.
  void set_measured(std::string_view device_model, OpId op, double seconds);
  void add_control_edge(OpId before, OpId after);

  // Checks and freezes. Besides what was added it makes: colocation of every update with its parameter, control edges
  // to every update from all other ops that read its parameter directly or through views, distinct edges, a topological
  // order and the structure hash. Dropped are marks of tensors that only updates consume, and control edges into
  // parameters, buffers, constants and inputs, which are there from the start. Each kind of mistake has its own
  // message: duplicate name, dangling input, missing output, cycle (with a few of its ops), negative dimension,
  // overflowing size, view without input, update of something that is no parameter, too many ops.
  Result<Graph> build() &&;
  // What build() will refuse anyway, known early: too many ops, a name or rank out of bounds. Readers ask now and then.
  [[nodiscard]] const std::optional<Error>& early_error() const { return early_error_; }

 private:
  friend class GraphFreezer;  // freeze.cc: the checks and tables of build()
  struct ControlEdge {
    OpId before, after;
    auto operator<=>(const ControlEdge&) const = default;
  };
  std::uint32_t intern(std::vector<std::string>& pool, std::unordered_map<std::string, std::uint32_t>& ids,
                       std::string_view text);
  void add_tensor(OpId op, const TensorSpec& tensor);
  void note(Error error);

  Graph graph_;
  std::vector<OutputRef> raw_inputs_;  // rows given by graph_.input_begin_
  std::vector<ControlEdge> control_edges_;
  std::vector<OutputRef> output_marks_;
  std::unordered_map<std::string, std::uint32_t> type_ids_, module_ids_, label_ids_, attributes_ids_, colocation_ids_;
  std::optional<Error> early_error_;
  Bytes total_bytes_ = 0;
};

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
// Which ops may run as one kernel: the one place of kinds and sizes for whoever forms groups. They bind planners. What
// any plan must obey, a user's too, is check_fusions() (problem/fusion.h): one device, no cycle. The reasons for both
// are in docs/decisions/0016-fusion.md.
//
// Kinds follow XLA's list of fusible instructions as far as cost classes tell them apart. The rule for the cost of a
// group knows arithmetic of products and bytes of tensors alone, so an op is kept out whose time is something else:
// products and convolutions (libraries run them), random numbers, batch norms in training, pools, scatters, and
// updates, which also rewrite parameters and the optimiser's copies.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/graph.h"

namespace berth {

inline constexpr std::size_t kMostFusedOps = 64;     // members of a group
inline constexpr std::size_t kMostFusedInputs = 64;  // distinct tensors that a group reads from outside
inline constexpr double kSignificantReduction = 16;  // inputs per output from which a reduction counts as one

enum class FusionKind : std::uint8_t {
  kNever,
  kPlain,     // element by element, copies, gathers, fills; views, and ops without a kernel
  kReducing,  // sums over many elements, or rows that are summed and then written: softmax, layer norm
};

// Made once per graph; immutable, so any number of threads may ask.
class FusionRules {
 public:
  explicit FusionRules(const Graph& graph);

  [[nodiscard]] FusionKind kind(OpId op) const { return kinds_[index(op)]; }
  [[nodiscard]] bool may_fuse(OpId op) const { return kind(op) != FusionKind::kNever; }

  // Whether distinct ops might be one kernel: every kind may be fused, neither limit is passed, and no reduction reads,
  // directly or through members, what another one makes. Says nothing about devices and cycles.
  [[nodiscard]] bool allow(std::span<const OpId> members) const;

 private:
  [[nodiscard]] bool has_few_inputs(std::span<const OpId> members) const;
  [[nodiscard]] bool chains_reductions(std::span<const OpId> members) const;

  const Graph& graph_;
  std::vector<FusionKind> kinds_;        // indexed by OpId
  std::vector<std::uint32_t> position_;  // in topological order, indexed by OpId
};

}  // namespace berth

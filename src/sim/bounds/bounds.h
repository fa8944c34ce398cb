// SPDX-License-Identifier: Apache-2.0
// Lower bounds of the objective: no legal plan can be faster. Which there are, and what would have to change for a plan
// to beat them, stands in one table (bounds.cc); docs/bounds.md tells how each is found.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/units.h"
#include "problem/problem.h"

namespace berth {

enum class BoundKind : std::uint8_t {
  kPath,         // the longest way through the graph, every op on its fastest device, no transfers
  kTransfers,    // the same with the transfers that no placement of two neighbours avoids
  kQueueOrSend,  // the same where ops before a join share a device, or send what they made
  kWork,         // all work, spread over all devices
  kWindow,       // work that all has to be done behind a way in and before a way out
  kInterval,     // some stretch of the step must hold what it can
  kSequence,     // without overlap alone: everything at its fastest, one after the other
  kLargestUnit,  // ops that share a device, and what they cannot avoid: ways in and out, of a pipeline transfers
};
inline constexpr std::size_t kBoundKinds = static_cast<std::size_t>(BoundKind::kLargestUnit) + 1;

struct LowerBound {
  std::array<Picoseconds, kBoundKinds> of_kind{};  // 0 where a kind says nothing
  OpId through = kNoOp;                            // the longest way goes through it

  [[nodiscard]] Picoseconds operator[](BoundKind kind) const { return of_kind[static_cast<std::size_t>(kind)]; }
  Picoseconds& operator[](BoundKind kind) { return of_kind[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] Picoseconds value() const;  // the largest
  [[nodiscard]] BoundKind kind() const;     // the simplest that says as much
};

// With fusion allowed the bound counts the compute parts alone. For the pipeline objective, where fusion saves nothing,
// it is made of `kWork` and `kLargestUnit`. On a machine without overlap it is `kSequence`, which no path exceeds.
LowerBound lower_bound(const Problem& problem, bool fusion_allowed = false);

// "queue or send".
std::string_view name_of(BoundKind kind);
// Why no plan is faster, and what would have to change, in a sentence without a stop.
std::string reason_of(const Problem& problem, const LowerBound& bound);

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include "sim/bounds/bounds.h"

#include <algorithm>

#include "base/text.h"
#include "sim/bounds/pipeline_bound.h"
#include "sim/bounds/sequence_bound.h"
#include "sim/bounds/step_bound.h"

namespace berth {
namespace {

struct BoundRow {
  BoundKind kind;
  std::string_view name, reason;
};

// Simplest first: of bounds that say the same the first is named.
constexpr std::array kBounds{
    BoundRow{BoundKind::kPath, "critical path",
             "results wait for each other on a chain that takes as long with every op on its fastest device and no "
             "transfer; only faster devices for these ops, or fewer or lighter ones, beat it"},
    BoundRow{BoundKind::kTransfers, "chain with transfers",
             "results wait for each other on a chain on which something has to be sent, since its ops cannot all be on "
             "one device or do better on several; faster devices for these ops or faster links beat it"},
    BoundRow{
        BoundKind::kQueueOrSend, "queue or send",
        "on a chain of results, ops that are needed together queue on one device or send what they made, and what an "
        "op waits for has to be done before it; faster devices, more lanes or faster links beat it, or less work "
        "before these ops"},
    BoundRow{BoundKind::kWork, "work",
             "all devices together have no more to give, however the work is spread; less work, or faster or more "
             "devices beat it, faster links do not"},
    BoundRow{BoundKind::kWindow, "window",
             "between the first results and the last ones there is more to do than all devices together can do in less "
             "time; less work, more or faster devices, or shorter chains before and behind it beat it"},
    BoundRow{BoundKind::kInterval, "interval",
             "in every shorter step some stretch of time would have to hold more work than all lanes can do; more or "
             "faster devices, or shorter chains beat it"},
    BoundRow{BoundKind::kSequence, "sequence",
             "nothing runs at the same time on this machine, and this is every op where it takes least, one after the "
             "other; faster devices or less work beat it"},
    BoundRow{BoundKind::kLargestUnit, "largest unit",
             "some ops that have to share a device take that long wherever they are, with what comes before and behind "
             "them or has to be sent; faster devices beat it, or fewer ops that have to be together"},
};
static_assert(kBounds.size() == kBoundKinds);

const BoundRow& row_of(BoundKind kind) { return kBounds[static_cast<std::size_t>(kind)]; }

}  // namespace

Picoseconds LowerBound::value() const { return *std::ranges::max_element(of_kind); }

BoundKind LowerBound::kind() const {
  return static_cast<BoundKind>(std::ranges::max_element(of_kind) - of_kind.begin());
}

LowerBound lower_bound(const Problem& problem, bool fusion_allowed) {
  LowerBound bound;
  if (problem.objective() == Objective::kPipeline) {
    const PipelineBound found = pipeline_bound(problem);
    bound[BoundKind::kWork] = found.work;
    bound[BoundKind::kLargestUnit] = found.largest_unit;
    return bound;
  }
  if (!problem.machine().overlap()) {
    bound[BoundKind::kSequence] = sequence_bound(problem, fusion_allowed);
    return bound;
  }
  return step_bound(problem, fusion_allowed);
}

std::string_view name_of(BoundKind kind) { return row_of(kind).name; }

std::string reason_of(const Problem& problem, const LowerBound& bound) {
  std::string text(row_of(bound.kind()).reason);
  if (bound.kind() <= BoundKind::kQueueOrSend && bound.through != kNoOp)
    text += fmt::format(" (it goes through '{}')", problem.graph().name(bound.through));
  return text;
}

}  // namespace berth

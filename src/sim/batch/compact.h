// SPDX-License-Identifier: Apache-2.0
// A problem packed into the tables of compact_view.h.
#pragma once

#include "base/result.h"
#include "problem/problem.h"
#include "sim/batch/loop/compact_view.h"

namespace berth::batch {

class CompactProblem {
 public:
  // Fails where a problem has more of something than the loop can count; says what. Such a problem is simulated plan by
  // plan (sim/simulator.h).
  static Result<CompactProblem> make(const Problem& problem);

  [[nodiscard]] const CompactView& view() const { return view_; }  // of the tables here
  [[nodiscard]] const CompactTables& tables() const { return tables_; }
  [[nodiscard]] bool has_lanes() const { return view_.num_slots > view_.num_devices + view_.num_queues; }

  CompactProblem(CompactProblem&&) noexcept = default;
  CompactProblem& operator=(CompactProblem&&) noexcept = default;

 private:
  CompactProblem() = default;
  CompactTables tables_;
  CompactView view_{};
};

}  // namespace berth::batch

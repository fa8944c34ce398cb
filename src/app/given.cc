// SPDX-License-Identifier: Apache-2.0
#include "app/given.h"

#include "io/given_placement.h"
#include "sim/bounds.h"

namespace berth::app {

Result<Outcome> score_given(const ResolvedProblem& resolved) {
  const Problem& problem = resolved.problem;
  BERTH_TRY(const GivenPlacement given, given_placement(problem, resolved.device_of));
  if (const auto broken = verify(problem, given.plan)) return within("the placement in the file", *broken);
  Outcome outcome = score_plan(problem, kGiven, given.plan);
  outcome.note = fmt::format("the file {}", words_about(given));
  return outcome;
}

std::optional<Outcome> given_row(const ResolvedProblem& resolved) {
  if (resolved.device_of.empty()) return std::nullopt;
  Result<Outcome> scored = score_given(resolved);
  if (scored) return *std::move(scored);
  Outcome outcome;
  outcome.planner = kGiven;
  outcome.error = scored.error();
  outcome.lower_bound = lower_bound(resolved.problem).value();
  return outcome;
}

}  // namespace berth::app

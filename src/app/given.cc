// SPDX-License-Identifier: Apache-2.0
#include "app/given.h"

#include "base/text.h"
#include "io/given_placement.h"
#include "sim/bounds.h"

namespace berth::app {
namespace {

std::string note_about(const GivenPlacement& given, std::size_t ops) {
  std::string note = fmt::format("the file places {} of {}", group_digits(given.stated), counted(ops, "op"));
  if (given.moved_together > 0) {
    note += fmt::format("; {} moved to be with ops they share a device with", group_digits(given.moved_together));
  }
  if (given.not_allowed > 0) {
    note += fmt::format("; {} moved because they may not run there", group_digits(given.not_allowed));
  }
  return note;
}

}  // namespace

Result<Outcome> score_given(const ResolvedProblem& resolved) {
  const Problem& problem = resolved.problem;
  BERTH_TRY(const GivenPlacement given, given_placement(problem, resolved.device_of));
  if (const auto broken = verify(problem, given.plan)) return within("the placement in the file", *broken);
  Outcome outcome = score_plan(problem, kGiven, given.plan);
  outcome.note = note_about(given, problem.graph().num_ops());
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

// SPDX-License-Identifier: Apache-2.0
#include "services/export/export_promise.h"

#include "base/units.h"
#include "export/lost.h"
#include "machine/library.h"
#include "problem/weight_families.h"
#include "problem/what_if/machine_changes.h"
#include "problem/what_if/machine_draft.h"
#include "services/plan/single_device.h"

namespace berth {
namespace {

Plan with_resident_weights(const Problem& problem, Plan plan) {
  const WeightFamilies families(problem);
  for (const std::size_t family : families.unsettled(plan))
    families.put(family, families.best_home(family, plan), plan);
  return plan;
}

// The machine as HETERO uses it; one that says so itself keeps its own cost of a region.
Result<Problem> under_hetero(const Problem& problem) {
  MachineDraft draft(problem.machine());
  if (draft.execution.overlap) draft.execution.region_cost_s = kHeteroRegionSeconds;
  draft.execution.overlap = false;
  BERTH_TRY(Machine machine, draft.make());
  return on_machine(problem, std::make_shared<const Machine>(std::move(machine)));
}

// Order and fusions are OpenVINO's own.
Result<ExportPromise::Hetero> judge_hetero(const Problem& problem, Plan plan) {
  BERTH_TRY(const Problem hetero, under_hetero(problem));
  plan.priority.clear();
  plan.fusions.clear();
  ExportPromise::Hetero judged{.region_cost_s = hetero.machine().execution().region_cost_s};
  judged.outcome = score_plan(hetero, "file", plan);
  Caller nobody;
  judged.single = run_single(hetero, judged.outcome.lower_bound, nobody);
  return judged;
}

std::string time_of(const Outcome& outcome) {
  return outcome.feasible() ? format_time(outcome.score.step_time) : "more memory than there is";
}

std::string weights_note(const ExportPromise& promise, const Graph& graph, std::string_view runtime) {
  NamedSome sent;
  for (const OpId weight : promise.sent.weights) sent.add(graph.name(weight));
  std::string note = fmt::format(
      "the plan sends {}, {}, to another device in every step; {} loads weights once, where they are read: with every "
      "weight at its reader the step takes {}, and {} as planned; berth place --resident-weights plans that way",
      sent.text("weight", "weights"), format_bytes(promise.sent.bytes), runtime, time_of(promise.resident),
      time_of(promise.planned));
  if (promise.shared.count() > 0) {
    note += fmt::format(" (several devices read {} of them, and have a copy each; their {} are still counted as sent)",
                        promise.shared.count(), format_bytes(promise.shared.bytes));
  }
  return note;
}

}  // namespace

Result<std::optional<ExportPromise>> promise_of(const Problem& problem, const Plan& plan, const ExportFormat& format) {
  if (format.runtime.empty() || problem.objective() != Objective::kStep) return std::optional<ExportPromise>();
  const Plan resident = with_resident_weights(problem, plan);
  ExportPromise promise{.sent = weights_that_cross(problem.graph(), plan),
                        .shared = weights_that_cross(problem.graph(), resident),
                        .planned = score_plan(problem, "file", plan),
                        .resident = score_plan(problem, "file", resident)};
  if (format.runs_by_regions) {
    BERTH_TRY(promise.hetero, judge_hetero(problem, resident));
  }
  return std::optional(std::move(promise));
}

std::vector<std::string> promise_notes(const ExportPromise& promise, const Problem& problem,
                                       const ExportFormat& format) {
  std::vector<std::string> notes;
  if (promise.sent.count() > 0) notes.push_back(weights_note(promise, problem.graph(), format.runtime));
  if (!promise.hetero) return notes;
  const auto& [region_cost_s, outcome, single] = *promise.hetero;
  std::string note = fmt::format(
      "HETERO runs one region of ops after the other and nothing at the same time: a step takes {}", time_of(outcome));
  if (single) note += fmt::format(", {}", against_single(outcome, *single));
  if (is_slower_than_single(outcome, single)) note += "; compile the model for that device alone";
  notes.push_back(note);
  return notes;
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include "app/output/what_if.h"

#include <algorithm>

#include "app/output/output.h"
#include "app/output/terminal.h"
#include "base/units.h"
#include "services/words.h"

namespace berth::app {
namespace {

std::string value_text(const Outcome& outcome) {
  if (outcome.error) return "no plan";
  return outcome.feasible() ? format_seconds(to_seconds(outcome.score.step_time)) : "OOM";
}

std::string difference_text(const Outcome& before, const Outcome& after) {
  if (const auto share = relative_change(before.value_s(), after.value_s())) return change_words(*share);
  if (after.feasible()) return "now it fits";
  return before.feasible() ? "it no longer fits" : "-";
}

}  // namespace

std::string change_text(const Unchanged& before, const Outcome& after) {
  return fmt::format("\nwhat if: {} on {} as it is, {} with the change: {}\n", value_text(before.outcome),
                     clean(before.loaded.problem.machine().name()), value_text(after),
                     difference_text(before.outcome, after));
}

std::string change_table(const Problem& before_problem, const Comparison& before, const Comparison& after) {
  using enum Table::Align;
  Table table({kLeft, kRight, kRight, kLeft});
  table.add({"what if", fmt::format("{} as it is", before_problem.machine().name()), "changed", ""});
  for (const Outcome& row : after.rows) {
    const auto same = std::ranges::find(before.rows, row.planner, &Outcome::planner);
    if (same == before.rows.end()) continue;
    table.add({row.planner, value_text(*same), value_text(row), difference_text(*same, row)});
  }
  return fmt::format("\n{}", table.text());
}

void write_change(JsonWriter& json, const Unchanged& before, const Outcome& after) {
  json.object("as_it_is", [&] {
    json.members("machine", before.loaded.problem.machine().name(), "step_time_s", before.outcome.value_s(), "feasible",
                 before.outcome.feasible(), "change", relative_change(before.outcome.value_s(), after.value_s()));
  });
}

}  // namespace berth::app

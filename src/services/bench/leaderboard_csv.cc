// SPDX-License-Identifier: Apache-2.0
#include "files/quoting.h"
#include "services/bench/leaderboard_files.h"

namespace berth {
namespace {

std::string csv_time(std::optional<Picoseconds> time) { return time ? fmt::format("{}", to_seconds(*time)) : ""; }

void add_csv_lines(const BenchAnswer& answer, const BenchRow& row, std::string& text) {
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    for (const BenchRun& run : row.cells[i].runs) {
      const bool fits = run.state == RunState::kFits;
      text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", answer.suite, csv_cell(row.problem.name),
                          csv_cell(answer.contestants[i]), run.seed > 0 ? fmt::format("{}", run.seed) : "",
                          name_of(run.state), csv_time(fits ? std::optional(run.step_time) : std::nullopt),
                          csv_time(row.lower_bound), csv_time(row.problem.optimum), run.evaluations, run.search_s,
                          run.late ? "late" : "", csv_cell(run.note));
    }
  }
}

}  // namespace

std::string leaderboard_csv(const BenchAnswer& answer) {
  std::string text =
      "suite,problem,planner,seed,state,step_time_s,lower_bound_s,optimum_s,evaluations,search_s,late,note\n";
  for (const BenchRow& row : answer.rows) add_csv_lines(answer, row, text);
  return text;
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include "services/bench/dataset.h"

#include <filesystem>

#include "files/files.h"
#include "services/export/write_problem.h"
#include "services/json/bench_json.h"

namespace berth {

Result<std::vector<BenchRow>> export_suite(const Suite& suite, const std::string& folder, Caller& caller) {
  const std::filesystem::path path(folder);
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return bad_input("{}: cannot make this folder: {}", folder, error.message());
  caller.work_begins();
  std::vector<BenchRow> rows;
  for (const SuiteRow& row : suite.rows) {
    if (caller.wants_to_stop()) return rows;
    caller.show(fmt::format("problem {} of {}: {}", rows.size() + 1, suite.rows.size(), row.name));
    BERTH_TRY(const LoadedProblem loaded, load_problem(row.request(), caller));
    rows.push_back(look_at(row, loaded.problem));
    BERTH_RETURN_IF_ERROR(save_problem_arrays((path / (row.name + ".npz")).string(), loaded.problem,
                                              {rows.back().lower_bound, row.optimum}));
  }
  caller.part_ends();
  BERTH_RETURN_IF_ERROR(write_file_atomically((path / "suite.json").string(), suite_json(suite, rows)));
  return rows;
}

}  // namespace berth

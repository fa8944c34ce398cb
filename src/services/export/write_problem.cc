// SPDX-License-Identifier: Apache-2.0
#include "services/export/write_problem.h"

#include "files/files.h"
#include "format/problem_file.h"
#include "sim/bounds/bounds.h"

namespace berth {

Status save_problem(const std::string& path, const Problem& problem) {
  if (!path.ends_with(".npz")) return save_problem_file(path, problem);
  return save_problem_arrays(path, problem, {lower_bound(problem).value()});
}

Status save_problem_arrays(const std::string& path, const Problem& problem, const KnownTimes& known) {
  const Result<std::string> arrays = write_problem_npz(problem, known);
  if (!arrays) return in_file(path, arrays.error());
  return write_file_atomically(path, *arrays);
}

}  // namespace berth

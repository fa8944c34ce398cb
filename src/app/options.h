// SPDX-License-Identifier: Apache-2.0
// Flags that several commands share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/constraint_flags.h"
#include "base/result.h"
#include "plan/planner.h"

namespace CLI {
class App;
}

namespace berth::app {

// GRAPH, --machine, --objective, --costs and --dim; constraints only where a command adds their flags.
struct ProblemFlags {
  std::string graph, machine, objective;  // the last two empty: as the file says
  std::vector<std::string> costs = {};    // FILE or FILE@DEVICE
  std::vector<std::string> dims = {};     // app/dims.h reads them
  ConstraintFlags constraints = {};
};
void add_problem_flags(CLI::App& command, ProblemFlags& flags);

// --dim NAME=SIZE, any number of times.
void add_dim_flag(CLI::App& command, std::vector<std::string>& dims);

struct SearchFlags {
  std::string budget = "10s";
  std::uint64_t evaluations = 0, seed = 1;  // no evaluations: the budget is a time
  int threads = 0;                          // 0: one per core
  bool quiet = false;
};
void add_search_flags(CLI::App& command, SearchFlags& flags);

// -o, --output; an empty name is refused, so that empty means "not given".
void add_output_flag(CLI::App& command, std::string& path, const std::string& help, bool required = false);

void add_json_flag(CLI::App& command, bool& json);

// The budget that the flags describe; an error if one of them makes no sense.
Result<Budget> budget_of(const SearchFlags& flags);

// Says early what would only be noticed after the search: the folder of an output file is not there or not writable.
Status check_output_path(const std::string& path);

}  // namespace berth::app

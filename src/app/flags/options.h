// SPDX-License-Identifier: Apache-2.0
// Flags that several commands share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/flags/command.h"
#include "base/result.h"
#include "plan/planner.h"
#include "services/problem/constraints.h"
#include "services/problem/problem_request.h"

namespace berth::app {

// GRAPH, --machine, --objective, --costs and the flags for models; constraints only where a command adds their flags.
struct ProblemFlags {
  std::string graph, machine, objective;  // the last two empty: as the file says
  std::vector<std::string> costs = {};    // FILE or FILE@DEVICE
  std::vector<std::string> dims = {};     // services/problem/dims.h reads them
  StepChoice step = {};
  ConstraintTexts constraints = {};
  MachineChanges changes = {};  // what if the machine were different
};
void add_problem_flags(CLI::App& command, ProblemFlags& flags, bool takes_size_lists = false);
// Graph and machine, which are read and so must not be written (check_output_path).
std::vector<std::string> files_of(const ProblemFlags& flags);
// What the flags ask for; reads the files of constraints. Every --dim must have one size ...
Result<ProblemRequest> request_of(const ProblemFlags& flags);
// ... or is left out, for who reads lists of sizes (read_buckets).
Result<ProblemRequest> request_without_sizes(const ProblemFlags& flags);
// All but GRAPH and --machine, for commands that take several of those.
void add_shared_problem_flags(CLI::App& command, ProblemFlags& flags, bool takes_size_lists = false);
std::string graph_help();
inline constexpr const char* kMachineHelp =
    "built-in machine (berth machines) or a .toml file; public problems bring their own";

// One flag per kind of demand, and files of them; docs/constraints.md describes both.
void add_constraint_flags(CLI::App& command, ConstraintTexts& texts);

// --set and --add-device.
void add_what_if_flags(CLI::App& command, MachineChanges& changes);

// GRAPH alone, for commands that need no machine.
void add_graph_argument(CLI::App& command, std::string& graph);

// What a model's file leaves open: --dim NAME=SIZE, and for TensorFlow --output-node, --signature and --tag. Lists of
// sizes make several plans, where the command can.
void add_model_flags(CLI::App& command, ProblemFlags& flags, bool takes_size_lists = false);

struct SearchFlags {
  std::string budget = "10s";
  std::uint64_t evaluations = 0, seed = 1;  // no evaluations: the budget is a time
  int threads = 0;                          // 0: one per core
  std::string simulate_on = "auto";
  std::uint64_t batch = 0;  // 0: as the planner likes
  bool quiet = false;
};
void add_search_flags(CLI::App& command, SearchFlags& flags);
// Those of them that say how to work, not for how long: threads, where plans are simulated, progress.
void add_work_flags(CLI::App& command, SearchFlags& flags);
void add_quiet_flag(CLI::App& command, bool& quiet);

// The budget that the flags describe; an error if one of them makes no sense.
Result<Budget> budget_of(const SearchFlags& flags);

}  // namespace berth::app

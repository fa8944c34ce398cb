// SPDX-License-Identifier: Apache-2.0
// Plan files, berth-plan/1 (docs/formats.md): the device and priority of every op by name, fusion groups, and what was
// predicted when the plan was made. A plan belongs to one graph, by its structure hash, or to several with the same ops
// (a model at several sizes); it may be read for another machine as long as that has the devices it names. All errors
// of the readers begin with the file's name.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "graph/graph.h"
#include "machine/machine.h"
#include "problem/plan.h"

namespace berth {

inline constexpr std::string_view kPlanFormat = "berth-plan/1";

// What the maker of a plan expects of it. For people and tools; reading a plan ignores it.
struct PlanPrediction {
  struct Device {
    std::string name = {};
    double busy_s = 0.0;
    Bytes peak_bytes = 0;
    Bytes capacity_bytes = 0;
  };
  std::string planner = {};
  std::string objective = "step";
  std::optional<double> objective_value_s = {};  // none if the plan does not fit in memory, as is the next
  std::optional<double> step_time_s = {};
  double lower_bound_s = 0.0;
  bool feasible = true;
  std::vector<Device> devices = {};
};

// The plan must have a device of the machine for every op of the graph (verify() holds). `also_for` are the hashes of
// other graphs that it was made for as well.
std::string write_plan_json(const Graph& graph, const Machine& machine, const Plan& plan,
                            const PlanPrediction& prediction, std::span<const std::string> also_for = {});
Status save_plan_file(const std::string& path, const Graph& graph, const Machine& machine, const Plan& plan,
                      const PlanPrediction& prediction, std::span<const std::string> also_for = {});

// Reads a plan for this graph: its hash is there, every op exactly once, devices the machine has, finite priorities,
// disjoint fusions of at least two ops. Priorities that are all 0 are left out of the result. Whether the plan obeys
// constraints and fusion rules is for verify() to say.
Result<Plan> load_plan_file(const std::string& path, const Graph& graph, const Machine& machine);
Result<Plan> parse_plan(std::string text, std::string_view file_name, const Graph& graph, const Machine& machine);

}  // namespace berth

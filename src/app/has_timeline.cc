// SPDX-License-Identifier: Apache-2.0
#include "app/has_timeline.h"

namespace berth::app {

Status check_has_timeline(std::string_view who, std::string_view instead, const Problem& problem,
                          const ProblemFlags& flags) {
  if (problem.objective() == Objective::kStep) return {};
  const std::string_view objective = objective_name(problem.objective());
  if (flags.objective.empty()) {  // a public problem brings its own
    return bad_input(
        "{} follows the timeline of a step, which {} does not have: its objective is '{}'; berth score "
        "shows the load of every device",
        who, flags.graph, objective);
  }
  return bad_input("{} follows the timeline of a step, which the objective '{}' does not have; {}", who, objective,
                   instead);
}

}  // namespace berth::app

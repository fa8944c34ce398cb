// SPDX-License-Identifier: Apache-2.0
// A problem as Python holds it: its tables as arrays, batches of its plans, and plans made of arrays.
#pragma once

#include <memory>

#include "arrays.h"
#include "batch_runner.h"
#include "bindings.h"

namespace berth::python {

struct NativeProblem {
  ProblemRequest request;
  std::shared_ptr<const LoadedProblem> loaded;
  std::vector<std::string> notes = {};
  std::shared_ptr<BatchRunner> batches = {};
  std::optional<NativePlan> single = {};  // the best single device, once it was asked for

  [[nodiscard]] const Problem& problem() const { return loaded->problem; }
};

// A plan of one row of devices. Ends with BadInput unless it is legal.
Plan plan_of_row(const NativeProblem& self, const py::array& devices,
                 const std::optional<BatchRunner::Priorities>& priorities);

void add_problem_arrays(py::class_<NativeProblem>& problem);  // ops, edges, tensors, devices, links

}  // namespace berth::python

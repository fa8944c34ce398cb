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

void add_problem_arrays(py::class_<NativeProblem>& problem);  // ops, edges, tensors, devices, links

}  // namespace berth::python

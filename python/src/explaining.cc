// SPDX-License-Identifier: Apache-2.0
// Why a step takes as long as it does, why an op is where it is, and what moved between two plans, as JSON.
#include "bindings.h"
#include "services/compare/diff.h"
#include "services/explain/explain.h"
#include "services/json/comparison_json.h"
#include "services/json/explanation_json.h"

namespace berth::python {
namespace {

std::string explain_plan_or_op(const NativePlan& self, const std::string& op) {
  const Explanation why =
      unwrap(explain({.problem = self.request, .plan = {}, .op = op}, self.problem(), self.outcome));
  return explanation_json(*self.loaded, self.outcome, why);
}

std::string diff_of(const std::string& before, const std::string& after, const std::optional<ProblemRequest>& problem) {
  PythonCaller caller;
  const py::gil_scoped_release others_may_run;
  return diff_json(unwrap(diff_plans({before, after, problem}, caller)));
}

}  // namespace

void add_explaining(py::module_& module) {
  module.def("explain", explain_plan_or_op, py::arg("plan"), py::arg("op"));
  module.def("diff", diff_of, py::arg("before"), py::arg("after"), py::arg("request").none(true));
}

}  // namespace berth::python

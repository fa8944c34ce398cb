// SPDX-License-Identifier: Apache-2.0
#include "bindings.h"

namespace berth::python {

void raise(const Error& error) {
  if (error.code == ErrorCode::kInfeasible) throw Infeasible(error.message);
  throw BadInput(error.message);
}

}  // namespace berth::python

PYBIND11_MODULE(_berth, module) {
  using namespace berth::python;
  module.doc() = "The library behind the package berth; use that.";
  const auto bad_input = py::register_exception<BadInput>(module, "BerthError", PyExc_ValueError);
  py::register_exception<Infeasible>(module, "InfeasibleError", bad_input);
  add_graphs(module);
  add_machines(module);
  add_plans(module);
  add_planning(module);
}

// SPDX-License-Identifier: Apache-2.0
// What the parts of the extension module share. Python's own layer (python/berth) turns these into what users see.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "import/model_file.h"
#include "problem/problem.h"
#include "sim/timeline.h"

namespace berth::python {

namespace py = pybind11;

// Errors become exceptions: BerthError for bad input, InfeasibleError where nothing fits.
struct BadInput : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct Infeasible : std::runtime_error {
  using std::runtime_error::runtime_error;
};
[[noreturn]] void raise(const Error& error);

template <typename T>
T unwrap(Result<T> result) {
  if (!result) raise(result.error());
  return *std::move(result);
}
inline void unwrap(const Status& status) {
  if (!status) raise(status.error());
}

struct LoadedGraph {
  std::string source = {};    // as the user gave it
  ImportOptions import = {};  // how a model's file was read
  std::shared_ptr<const Graph> graph = {};
  std::shared_ptr<const Problem> problem = {};  // of a public problem, which brings its machine
  std::vector<std::string> warnings = {};       // what the file leaves open
};

struct LoadedMachine {
  std::shared_ptr<const Machine> machine = {};
};

// A plan, how it came to be and what it is worth.
struct PlacedGraph {
  LoadedGraph graph = {};
  std::shared_ptr<const Problem> problem = {};
  Plan plan = {};
  Score score = {};
  Picoseconds lower_bound = 0;
  std::string planner = {}, note = {};
  double search_s = 0.0;
  std::uint64_t evaluations = 0, seed = 0;
  bool interrupted = false;
};

void add_graphs(py::module_& module);
void add_machines(py::module_& module);
void add_plans(py::module_& module);
void add_planning(py::module_& module);

}  // namespace berth::python

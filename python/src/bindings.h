// SPDX-License-Identifier: Apache-2.0
// What the parts of the extension module share. It makes requests of what Python gives; what happens then is the
// services' (src/services), whose answers come back as the JSON that the program prints (services/json) or as plain
// values. Python's own layer (python/berth) turns these into what users see.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "services/caller.h"
#include "services/plan/outcome.h"
#include "services/problem/problem_request.h"

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

// What a service says, in words of Python: arguments for flags, functions for commands.
std::string in_python(std::string text);

// Python as a caller: its function is told how far the work is, Ctrl-C means to stop. Notes are kept for the end. Made
// and destroyed with the GIL, which it takes when it speaks.
class PythonCaller : public Caller {
 public:
  explicit PythonCaller(py::object progress = py::none()) : progress_(std::move(progress)) {}

  void note(const std::string& text) override { notes_.push_back(in_python(text)); }
  void show(const SearchState& state) override;
  [[nodiscard]] const std::atomic<bool>* stop_flag() const override { return &stop_; }

  // Ends with the exception of Python's function, if it had one.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  // Somebody pressed Ctrl-C.
  void stop() { stop_ = true; }

 protected:
  // Calls Python's function, if there is one, unless it has to stop. Takes the GIL.
  template <typename... Args>
  void tell(const Args&... args);

 private:
  py::object progress_;
  std::atomic<bool> stop_ = false;
  std::exception_ptr failure_;
  std::vector<std::string> notes_;
};

template <typename... Args>
void PythonCaller::tell(const Args&... args) {
  const py::gil_scoped_acquire python;
  if (PyErr_CheckSignals() != 0) {
    PyErr_Clear();
    stop();
  }
  if (progress_.is_none() || stop_) return;
  try {
    progress_(args...);
  } catch (...) {  // of the user's function
    failure_ = std::current_exception();
    stop();
  }
}

// A graph, and how it was read.
struct NativeGraph {
  std::string source = {};
  std::shared_ptr<const Graph> graph = {};
  std::vector<std::string> warnings = {};
};

// A plan with all that was asked and answered.
struct NativePlan {
  ProblemRequest request = {};
  std::shared_ptr<const LoadedProblem> loaded = {};
  Outcome outcome = {};

  [[nodiscard]] const Problem& problem() const { return loaded->problem; }
  [[nodiscard]] const std::string& device_name(DeviceId device) const {
    return problem().machine().device(device).name;
  }
  // Another plan for the same problem.
  [[nodiscard]] NativePlan with(Outcome other) const { return {request, loaded, std::move(other)}; }
};

void add_requests(py::module_& module);  // graphs, machines, problems
void add_problems(py::module_& module);
void add_plans(py::module_& module);
void add_planning(py::module_& module);
void add_explaining(py::module_& module);
void add_serving(py::module_& module);
void add_bench(py::module_& module);

}  // namespace berth::python

// SPDX-License-Identifier: Apache-2.0
// Problems that stay: their tables, the worth of many plans at once, and plans made of arrays and words.
#include <map>

#include "machine/device_set.h"
#include "native_problem.h"
#include "plan/search/placement.h"
#include "problem/demands/device_words.h"
#include "problem/demands/op_index.h"
#include "services/plan/single_device.h"
#include "services/problem/constraints.h"

namespace berth::python {
namespace {

using DeviceBytes = py::array_t<std::uint8_t, py::array::c_style>;
using OpWords = std::vector<std::pair<std::string, std::string>>;  // selectors of ops, each with a device

NativeProblem make_native(const ProblemRequest& request) {
  PythonCaller caller;
  NativeProblem problem{request, nullptr};
  {
    const py::gil_scoped_release others_may_run;
    problem.loaded = std::make_shared<const LoadedProblem>(unwrap(load_problem(request, caller)));
    problem.batches = std::make_shared<BatchRunner>(problem.problem());
  }
  problem.notes = caller.notes();
  return problem;
}

py::dict evaluate_plans(const NativeProblem& self, const py::array& devices,
                        const std::optional<DeviceTable::Columns>& group_of,
                        const std::optional<BatchRunner::Priorities>& priorities, int threads,
                        const std::string& simulate_on) {
  const DeviceTable table(devices, group_of, self.problem().graph().num_ops(), self.problem().machine().num_devices());
  return self.batches->run(table, priorities, {threads, unwrap(find_simulate_on(simulate_on))});
}

// The same of a base and moves, whose numbers are in order.
py::dict evaluate_moved_plans(const NativeProblem& self, const py::array& base, const BatchRunner::Numbers& first_move,
                              const BatchRunner::Numbers& op, const BatchRunner::Numbers& device,
                              const std::optional<BatchRunner::Priorities>& priorities, int threads,
                              const std::string& simulate_on) {
  const DeviceTable table(base, std::nullopt, self.problem().graph().num_ops(), self.problem().machine().num_devices());
  if (table.rows() != 1 || first_move.size() < 1 || op.size() != device.size())
    throw BadInput("moves: a base and moves");
  std::vector<std::uint8_t> row(self.problem().graph().num_ops());
  if (!table.copy(0, row.data())) throw BadInput(table.stranger(0, self.problem()));
  return self.batches->run(BatchRunner::Moved{table, first_move, op, device}, priorities,
                           {threads, unwrap(find_simulate_on(simulate_on))});
}

// The same of plans on a GPU, as capsules of DLPack. Priorities of plans of their own are there, too, those for all
// here.
py::dict evaluate_plans_on_card(const NativeProblem& self, const py::capsule& devices,
                                const std::optional<py::capsule>& own_priorities,
                                const std::optional<BatchRunner::Priorities>& priorities, int threads) {
  const std::size_t ops = self.problem().graph().num_ops();
  const CardTable table(devices, CardTable::Of::kBytes, ops, "devices");
  std::optional<CardTable> own;
  if (own_priorities) own.emplace(*own_priorities, CardTable::Of::kDoubles, ops, "priorities");
  return self.batches->run(table, own ? &*own : nullptr, priorities, threads);
}

// The best single device, which stands beside every plan.
std::optional<NativePlan> single_of(NativeProblem& self, const NativePlan& plan) {
  if (self.single) return self.single;
  PythonCaller caller;
  std::optional<Outcome> single = [&] {
    const py::gil_scoped_release others_may_run;
    return run_single(self.problem(), plan.outcome.lower_bound, caller);
  }();
  if (single && !single->error) self.single = plan.with(*std::move(single));
  return self.single;
}

// One plan, and what stands beside it.
std::pair<NativePlan, std::optional<NativePlan>> plan_of(NativeProblem& self, const py::array& devices,
                                                         const std::optional<BatchRunner::Priorities>& priorities,
                                                         const std::string& name) {
  if (self.batches->has_judge()) {
    throw BadInput("a plan would be judged outside the budget; return the devices instead, or ask evaluate()");
  }
  NativePlan made{self.request, self.loaded, score_plan(self.problem(), name, plan_of_row(self, devices, priorities))};
  return {made, single_of(self, made)};
}

DeviceId device_named(const Machine& machine, const std::string& word) {
  const DeviceSet devices = unwrap(devices_named(machine, word));
  if (std::popcount(devices) != 1) {
    throw BadInput(fmt::format("'{}' is no single device; name one of {}", word, names_of(machine, devices)));
  }
  return lowest_device(devices);
}

// Where words put ops; of several words for one op the last counts.
std::vector<DeviceId> named_devices(const Problem& problem, const OpWords& words) {
  std::vector<DeviceId> device_of(problem.graph().num_ops(), kNoDevice);
  const OpIndex ops(problem.graph());
  std::map<std::string, DeviceId> known;
  for (const auto& [selector, word] : words) {
    if (!known.contains(word)) known[word] = device_named(problem.machine(), word);
    for (const OpId op : unwrap(ops.select(selector))) device_of[index(op)] = known[word];
  }
  return device_of;
}

// The device of an op that no word names: that of the ops it must be with, else the only one it may be on, else the
// one for the rest.
DeviceId device_of_rest(const Problem& problem, std::uint32_t unit, const std::vector<DeviceId>& named,
                        std::optional<DeviceId> rest) {
  for (const OpId op : problem.unit_ops(unit)) {
    if (named[index(op)] != kNoDevice) return named[index(op)];
  }
  if (std::popcount(problem.unit_allowed(unit)) == 1) return lowest_device(problem.unit_allowed(unit));
  return rest ? allowed_or_fallback(problem, unit, *rest) : kNoDevice;
}

// A byte per op. An op that is not named goes with those it must be with; `rest`, unless empty, takes all others.
DeviceBytes devices_by_words(const NativeProblem& self, const OpWords& words, const std::string& rest) {
  const Problem& problem = self.problem();
  const std::vector<DeviceId> named = named_devices(problem, words);
  std::optional<DeviceId> to;
  if (!rest.empty()) to = device_named(problem.machine(), rest);
  DeviceBytes devices(static_cast<py::ssize_t>(named.size()));
  std::size_t left_out = 0;
  OpId first_left_out = kNoOp;
  for (const OpId op : problem.graph().ops()) {
    DeviceId device = named[index(op)];
    if (device == kNoDevice) device = device_of_rest(problem, problem.unit(op), named, to);
    if (device == kNoDevice && left_out++ == 0) first_left_out = op;
    devices.mutable_data()[index(op)] = static_cast<std::uint8_t>(device);
  }
  if (left_out > 0) {
    throw BadInput(fmt::format("{} of {} ops are not placed, '{}' for one; say rest=, the device of all others",
                               left_out, named.size(), problem.graph().name(first_left_out)));
  }
  return devices;
}

}  // namespace

Plan plan_of_row(const NativeProblem& self, const py::array& devices,
                 const std::optional<BatchRunner::Priorities>& priorities) {
  const Problem& problem = self.problem();
  const std::size_t ops = problem.graph().num_ops(), known = problem.machine().num_devices();
  const DeviceTable table(devices, std::nullopt, ops, known);
  if (table.rows() != 1) throw BadInput(fmt::format("a plan is one row of devices, not {}", table.rows()));
  if (priorities) BatchRunner::check(*priorities, 1, ops);
  std::vector<std::uint8_t> row(ops);
  if (!table.copy(0, row.data())) throw BadInput(table.stranger(0, problem));
  Plan plan;
  for (const std::uint8_t device : row) plan.device_of.push_back(DeviceId{device});
  if (priorities) plan.priority.assign(priorities->data(), priorities->data() + priorities->size());
  unwrap(check_demands(self.request.demands, problem, plan));
  if (const auto broken = verify(problem, plan)) raise(*broken);
  return plan;
}

void add_problems(py::module_& module) {
  py::class_<NativeProblem> problem(module, "Problem");
  problem.def(py::init(&make_native), py::arg("request"))
      .def_readonly("notes", &NativeProblem::notes)
      .def_property_readonly("graph",
                             [](const NativeProblem& self) {
                               return NativeGraph{self.request.graph, {self.loaded, &self.problem().graph()}};
                             })
      .def_property_readonly("machine", [](const NativeProblem& self) { return self.problem().machine().name(); })
      .def_property_readonly("objective",
                             [](const NativeProblem& self) { return objective_name(self.problem().objective()); })
      .def_property_readonly("has_limits", [](const NativeProblem& self) { return has_limits(self.problem()); })
      .def("evaluate", evaluate_plans, py::arg("devices"), py::arg("group_of").none(true),
           py::arg("priorities").none(true), py::arg("threads"), py::arg("simulate_on"))
      .def("evaluate_moves", evaluate_moved_plans, py::arg("base"), py::arg("first_move"), py::arg("op"),
           py::arg("device"), py::arg("priorities").none(true), py::arg("threads"), py::arg("simulate_on"))
      .def("evaluate_on_card", evaluate_plans_on_card, py::arg("devices"), py::arg("own_priorities").none(true),
           py::arg("priorities").none(true), py::arg("threads"))
      .def("plan", plan_of, py::arg("devices"), py::arg("priorities").none(true), py::arg("name"))
      .def("devices_by_words", devices_by_words, py::arg("words"), py::arg("rest"));
  add_problem_arrays(problem);
}

}  // namespace berth::python

// SPDX-License-Identifier: Apache-2.0
// Calibration: what measured runs say about the cost of every op on every device, about classes of ops, and about
// links.
//
// An op that was run on a device costs there what it took (op_times.h). One that was not run there costs what the cost
// model says times the factor of its class. Links take latency and bandwidth from the transfers seen, and what a
// handover takes beside them (handover.h).
#pragma once

#include <optional>
#include <vector>

#include "measure/sample.h"
#include "ops/cost_class.h"
#include "problem/problem.h"

namespace berth {

struct CalibrationRun {
  Plan plan;
  Sample sample;
};

struct ClassFit {
  DeviceId device;
  CostClass cost_class;
  std::size_t ops = 0;
  double factor = 1.0;                           // measured / estimated, median
  double error_before = 0.0, error_after = 0.0;  // median of |estimate / measured - 1|, without and with the factor
};

struct LinkFit {
  DeviceId from, to;
  std::size_t transfers = 0;
  double latency_s = 0.0, bytes_per_s = 0.0;
};

struct Calibration {
  std::vector<std::vector<double>> seconds;  // [device][op]; negative: nothing known
  std::vector<double> overhead_s;            // per op, by device
  std::vector<ClassFit> classes;
  std::vector<LinkFit> links;
  double handover_s = 0.0;                // contained in the latency of links
  std::optional<Accuracy> accuracy = {};  // of predictions with all this
};

// Everything on a device; ops that may not be there are on the first that they may be on.
Plan all_on(const Problem& problem, DeviceId device);
// The device that runs all compute ops of a plan, if one does.
std::optional<DeviceId> only_device(const Graph& graph, const Plan& plan);

Calibration calibrate(const Problem& problem, const std::vector<CalibrationRun>& runs);

// Plans that show much: everything on each device in turn (where ops may go elsewhere only, there), then the first part
// of the graph on one device and the rest on the next, and some cheap ops elsewhere, for every pair that follows each
// other, both ways; the last not where most ops would be on a device that is much slower.
std::vector<Plan> calibration_plans(const Problem& problem);

// The machine with the fitted links, and launches below every measured op, since the costs contain them.
Result<Machine> calibrated_machine(const Problem& problem, const Calibration& calibration);
// The same graph with the fitted costs on that machine. `problem` must outlive it.
Result<Problem> calibrated_problem(const Problem& problem, const Calibration& calibration);
// op,device,microseconds for --costs.
std::string write_costs_csv(const Problem& problem, const Calibration& calibration);

}  // namespace berth

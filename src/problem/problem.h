// SPDX-License-Identifier: Apache-2.0
// Problem: everything a planner or simulator needs to know, in plain numbers: graph, machine, constraints, and the time
// of every op on every device. Built once by make_problem(), immutable after that, shared by all threads.
//
// Devices of one model share a column of the time table ("device class"), so a table for a million ops and eight equal
// GPUs stays small.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/units.h"
#include "graph/graph.h"
#include "machine/machine.h"
#include "problem/capacities.h"
#include "problem/constraints.h"
#include "problem/objective.h"
#include "problem/plan.h"
#include "problem/unit_table.h"

namespace berth {

class Problem {
 public:
  [[nodiscard]] const Graph& graph() const { return *graph_; }
  [[nodiscard]] const Machine& machine() const { return *machine_; }
  [[nodiscard]] const Constraints& constraints() const { return constraints_; }
  [[nodiscard]] Objective objective() const { return objective_; }

  // Time of an op alone on a device, launch included; 0 for everything timeless. Meaningless where the op is not
  // allowed.
  [[nodiscard]] Picoseconds duration(OpId op, DeviceId device) const { return durations_[cell(op, device)]; }
  // The part of it that fusion cannot save: arithmetic, without memory traffic and launch.
  [[nodiscard]] Picoseconds compute_part(OpId op, DeviceId device) const { return compute_parts_[cell(op, device)]; }
  // Bytes per second a fused group streams on this device: the achievable bandwidth, not the peak.
  [[nodiscard]] double streaming_bytes_per_s(DeviceId device) const { return streaming_[index(device)]; }
  [[nodiscard]] Picoseconds launch(DeviceId device) const { return launch_[index(device)]; }

  // Time of one tensor of that many bytes on a channel: latency + bytes / bandwidth in double precision, rounded.
  [[nodiscard]] Picoseconds transfer_time(Bytes bytes, int channel) const {
    const Channel& link = machine_->channels()[static_cast<std::size_t>(channel)];
    return to_picoseconds(link.latency_s + static_cast<double>(bytes) / link.bytes_per_s);
  }
  // Delay of a remote control edge: the latencies of the route's channels, each rounded, added.
  [[nodiscard]] Picoseconds control_latency(DeviceId from, DeviceId to) const {
    return control_latency_[index(from) * machine_->num_devices() + index(to)];
  }

  // What every region of ops costs on a machine without overlap (docs/simulator.md).
  [[nodiscard]] Picoseconds region_cost() const { return to_picoseconds(machine_->execution().region_cost_s); }

  // Bytes held on the op's device all the time: as the costs say, else as the graph does.
  [[nodiscard]] Bytes resident_bytes(OpId op) const {
    return resident_.empty() ? graph_->resident_bytes(op) : resident_[index(op)];
  }

  // Devices an op can run on by itself, whatever the constraints say: by its kinds and its times.
  [[nodiscard]] DeviceSet runnable(OpId op) const { return runnable_[index(op)]; }
  [[nodiscard]] std::span<const DeviceSet> runnable() const { return runnable_; }
  // Devices an op may be on: where it can run, pins, forbids, and the same for all ops it must be together with.
  [[nodiscard]] DeviceSet allowed(OpId op) const { return units_.allowed[units_.of[index(op)]]; }
  // Ops that must share a device form a unit; every op is in exactly one. Units are numbered by their lowest op.
  [[nodiscard]] std::size_t num_units() const { return units_.size(); }
  [[nodiscard]] std::uint32_t unit(OpId op) const { return units_.of[index(op)]; }
  [[nodiscard]] std::span<const OpId> unit_ops(std::uint32_t unit) const { return units_.ops_of(unit); }
  [[nodiscard]] DeviceSet unit_allowed(std::uint32_t unit) const { return units_.allowed[unit]; }

  // Capacity of a device (or of its pool) less what the constraints reserve.
  [[nodiscard]] Bytes capacity(DeviceId device) const { return capacities_.device[index(device)]; }
  [[nodiscard]] Bytes pool_capacity(int pool) const { return capacities_.pool[static_cast<std::size_t>(pool)]; }

  // Equal devices have equal numbers here: same times for every op.
  [[nodiscard]] int device_class(DeviceId device) const { return class_of_[index(device)]; }
  [[nodiscard]] int num_device_classes() const { return num_classes_; }

 private:
  friend class ProblemBuilder;
  [[nodiscard]] std::size_t cell(OpId op, DeviceId device) const {
    return index(op) * static_cast<std::size_t>(num_classes_) + static_cast<std::size_t>(class_of_[index(device)]);
  }

  std::shared_ptr<const Graph> graph_;
  std::shared_ptr<const Machine> machine_;
  Constraints constraints_;
  Objective objective_ = Objective::kStep;
  int num_classes_ = 0;
  std::vector<int> class_of_;
  std::vector<Picoseconds> durations_, compute_parts_, launch_, control_latency_;
  std::vector<double> streaming_;
  std::vector<DeviceSet> runnable_;  // indexed by OpId
  UnitTable units_;
  Capacities capacities_;
  std::vector<Bytes> resident_;  // indexed by OpId; empty: the graph's
};

// Explicit times, for tests, public problem files and measured tables: seconds per (op, device), negative = not allowed
// there.
struct ExplicitCosts {
  std::vector<std::vector<double>> time_s;     // [op][device]
  std::vector<std::vector<double>> compute_s;  // [op][device], or empty: equal to time_s
  // Bytes per op for Objective::kPipeline, or empty: the graph's. Refused for kStep, whose memory follows the tensors.
  std::vector<Bytes> resident = {};
};

// Prices every op by the cost model (problem/cost/cost_model.h). Fails when an op can run on no device of the machine,
// when constraints contradict each other, or when times are beyond the clock.
Result<Problem> make_problem(std::shared_ptr<const Graph> graph, std::shared_ptr<const Machine> machine,
                             Constraints constraints = {}, Objective objective = Objective::kStep);
Result<Problem> make_problem(std::shared_ptr<const Graph> graph, std::shared_ptr<const Machine> machine,
                             const ExplicitCosts& costs, Constraints constraints = {},
                             Objective objective = Objective::kStep);

// The same problem, with the same times, under other constraints.
Result<Problem> constrain(Problem problem, Constraints constraints);

}  // namespace berth

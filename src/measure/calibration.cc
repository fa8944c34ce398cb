// SPDX-License-Identifier: Apache-2.0
#include "measure/calibration.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "measure/accuracy.h"
#include "measure/handover.h"
#include "measure/op_times.h"
#include "problem/cost/measured_costs.h"
#include "problem/cost/op_class.h"
#include "problem/what_if/machine_draft.h"
#include "sim/simulator.h"

namespace berth {
namespace {

constexpr std::size_t kFewestTransfers = 4;
constexpr int kMuchSlower = 8;

// Units whose first op, in topological order, comes in the first part of the graph go to one device, others to the
// next.
Plan cut_plan(const Problem& problem, DeviceId first, DeviceId second) {
  const Graph& graph = problem.graph();
  const std::vector<DeviceId> on_first = all_on(problem, first).device_of;
  Plan plan = all_on(problem, second);
  std::vector<bool> seen(problem.num_units());
  std::size_t count = 0;
  for (const OpId op : graph.topological_order()) {
    const std::uint32_t unit = problem.unit(op);
    if (!seen[unit] && count++ * 2 < problem.num_units()) {
      for (const OpId member : problem.unit_ops(unit)) plan.device_of[index(member)] = on_first[index(member)];
    }
    seen[unit] = true;
  }
  return plan;
}

// What handovers take is lost in the noise of a step on a device that is much slower, and such steps are long.
bool shows_handovers(const Problem& problem, DeviceId base, DeviceId other) {
  const auto busy = [&](DeviceId device) {
    const Plan plan = all_on(problem, device);
    Picoseconds sum{};
    for (const OpId op : problem.graph().ops()) sum += problem.duration(op, plan.device(op));
    return sum;
  };
  return busy(base) / kMuchSlower <= busy(other);
}

double median_error(const std::vector<double>& ratios, double factor) {
  std::vector<double> errors;
  for (const double ratio : ratios) errors.push_back(std::abs(factor / ratio - 1.0));
  return quantile(std::move(errors), 0.5);
}

void fit_classes(const Problem& problem, Calibration& calibration) {
  const Graph& graph = problem.graph();
  for (const DeviceId device : problem.machine().device_ids()) {
    std::vector<double>& seconds = calibration.seconds[index(device)];
    std::map<CostClass, std::vector<double>> ratios;  // measured / estimated
    for (const OpId op : graph.ops()) {
      const double estimate_s = to_seconds(problem.duration(op, device));
      if (seconds[index(op)] > 0.0 && estimate_s > 0.0) {
        ratios[class_of(graph, op)].push_back(seconds[index(op)] / estimate_s);
      }
    }
    for (const auto& [cost_class, values] : ratios) {
      const double factor = quantile(values, 0.5);
      calibration.classes.push_back(
          {device, cost_class, values.size(), factor, median_error(values, 1.0), median_error(values, factor)});
    }
    for (const OpId op : graph.ops()) {
      if (seconds[index(op)] >= 0.0 || graph.role(op) != Role::kCompute) continue;
      if ((problem.runnable(op) & device_bit(device)) == 0) continue;
      const auto known = ratios.find(class_of(graph, op));
      if (known != ratios.end()) {
        seconds[index(op)] = quantile(known->second, 0.5) * to_seconds(problem.duration(op, device));
      }
    }
  }
}

LinkFit fit_transfers(DeviceId from, DeviceId to, std::vector<std::pair<Bytes, double>> transfers) {
  std::ranges::sort(transfers);
  const std::size_t quarter = std::max<std::size_t>(transfers.size() / 4, 1);
  LinkFit fit{from, to, transfers.size()};
  double bytes = 0.0, large_s = 0.0, small_bytes = 0.0;
  std::vector<double> small_s;
  for (std::size_t i = 0; i < quarter; ++i) {
    small_s.push_back(transfers[i].second);
    small_bytes += static_cast<double>(transfers[i].first) / static_cast<double>(quarter);
    bytes += static_cast<double>(transfers[transfers.size() - 1 - i].first) / static_cast<double>(quarter);
    large_s += transfers[transfers.size() - 1 - i].second / static_cast<double>(quarter);
  }
  const double smallest_s = quantile(small_s, 0.5);
  const double slope = bytes > small_bytes ? (large_s - smallest_s) / (bytes - small_bytes) : 0.0;
  fit.bytes_per_s = slope > 0.0 ? 1.0 / slope : bytes / std::max(large_s, 1e-9);
  fit.latency_s = std::max(smallest_s - small_bytes / fit.bytes_per_s, 0.0);
  return fit;
}

void fit_links(const std::vector<CalibrationRun>& runs, Calibration& calibration) {
  std::map<std::pair<DeviceId, DeviceId>, std::vector<std::pair<Bytes, double>>> transfers;
  for (const CalibrationRun& run : runs) {
    for (const TransferSpan& span : run.sample.transfers) {
      transfers[{span.from, span.to}].emplace_back(span.bytes, span.end_s - span.start_s);
    }
  }
  for (auto& [pair, times] : transfers) {
    if (times.size() >= kFewestTransfers) {
      calibration.links.push_back(fit_transfers(pair.first, pair.second, std::move(times)));
    }
  }
}

const LinkFit* find_link(const Machine& machine, const Calibration& calibration, const std::string& from,
                         const std::string& to) {
  for (const LinkFit& fit : calibration.links) {
    if (machine.device(fit.from).name == from && machine.device(fit.to).name == to) return &fit;
  }
  return nullptr;
}

// A device alone still waits for what comes from elsewhere, inputs for example: that is in the step that was measured
// and in the links, so it must not be in the ops as well.
void take_waits_out_of_ops(const Problem& problem, const std::vector<CalibrationRun>& runs, Calibration& calibration) {
  for (const CalibrationRun& run : runs) {
    const std::optional<DeviceId> only = only_device(problem.graph(), run.plan);
    if (!only || run.sample.ops.empty()) continue;
    const auto after = calibrated_problem(problem, calibration);
    if (!after) return;
    const double beyond_s = to_seconds(simulate(*after, run.plan).step_time) - run.sample.median_s();
    if (beyond_s <= 0.0) continue;
    std::vector<double>& seconds = calibration.seconds[index(*only)];
    double sum_s = 0.0;
    for (const OpSpan& span : run.sample.ops) sum_s += seconds[index(span.op)];
    for (const OpSpan& span : run.sample.ops) seconds[index(span.op)] *= std::max(1.0 - beyond_s / sum_s, 0.5);
  }
}

void judge_predictions(const Problem& problem, const std::vector<CalibrationRun>& runs, Calibration& calibration) {
  const auto after = calibrated_problem(problem, calibration);
  if (!after) return;
  std::vector<double> ratios;
  for (const CalibrationRun& run : runs) {
    const double predicted_s = to_seconds(simulate(*after, run.plan).step_time);
    if (only_device(problem.graph(), run.plan) || predicted_s <= 0.0) continue;
    ratios.push_back(run.sample.median_s() / predicted_s);
  }
  calibration.accuracy = calibrated_accuracy(problem.machine().devices(), std::move(ratios));
}

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

Plan all_on(const Problem& problem, DeviceId device) {
  Plan plan;
  for (const OpId op : problem.graph().ops()) {
    const DeviceSet allowed = problem.allowed(op);
    const bool may = (allowed & device_bit(device)) != 0;
    plan.device_of.push_back(may ? device : static_cast<DeviceId>(std::countr_zero(allowed)));
  }
  return plan;
}

std::optional<DeviceId> only_device(const Graph& graph, const Plan& plan) {
  std::optional<DeviceId> only;
  for (const OpId op : graph.ops()) {
    if (graph.role(op) != Role::kCompute) continue;
    if (only && *only != plan.device(op)) return std::nullopt;
    only = plan.device(op);
  }
  return only;
}

std::vector<Plan> calibration_plans(const Problem& problem) {
  std::vector<Plan> plans;
  const auto add = [&](Plan plan) {
    if (std::ranges::find(plans, plan) == plans.end()) plans.push_back(std::move(plan));
  };
  const auto devices = problem.machine().device_ids();
  for (const DeviceId device : devices) add(all_on(problem, device));
  for (std::size_t i = 0; i + 1 < devices.size(); ++i) {
    add(cut_plan(problem, devices[i], devices[i + 1]));
    add(cut_plan(problem, devices[i + 1], devices[i]));
    for (const auto& [base, other] : {std::pair{devices[i], devices[i + 1]}, std::pair{devices[i + 1], devices[i]}}) {
      if (shows_handovers(problem, base, other)) add(scattered_plan(problem, base, other));
    }
  }
  return plans;
}

Calibration calibrate(const Problem& problem, const std::vector<CalibrationRun>& runs) {
  const std::size_t devices = problem.machine().num_devices();
  Calibration calibration;
  calibration.seconds.assign(devices, std::vector<double>(problem.graph().num_ops(), -1.0));
  calibration.overhead_s.assign(devices, 0.0);
  take_times(problem, runs, calibration);
  fit_classes(problem, calibration);
  fit_links(runs, calibration);
  fit_handovers(problem, runs, calibration);
  take_waits_out_of_ops(problem, runs, calibration);
  judge_predictions(problem, runs, calibration);
  return calibration;
}

Result<Machine> calibrated_machine(const Problem& problem, const Calibration& calibration) {
  const Machine& machine = problem.machine();
  MachineDraft draft(machine);
  for (std::size_t i = 0; i < draft.devices.size(); ++i) {
    double& least_s = draft.devices[i].launch_s;
    for (const double seconds : calibration.seconds[i]) {
      if (seconds > 0.0) least_s = std::min(least_s, seconds);
    }
  }
  if (calibration.accuracy) draft.execution.accuracy = calibration.accuracy;
  draft.links.clear();
  for (const Link& link : machine.links()) {
    const LinkFit* there = find_link(machine, calibration, link.from, link.to);
    const LinkFit* back = find_link(machine, calibration, link.to, link.from);
    const bool is_pair = link.duplex == Duplex::kFull && link.bus.empty();
    if (there == nullptr || (is_pair && back == nullptr) || link.duplex == Duplex::kHalf) {
      draft.links.push_back(link);
      continue;
    }
    Link one = link;
    one.duplex = Duplex::kOneWay;
    one.bytes_per_s = there->bytes_per_s;
    one.latency_s = there->latency_s;
    draft.links.push_back(one);
    if (!is_pair) continue;
    std::swap(one.from, one.to);
    one.bytes_per_s = back->bytes_per_s;
    one.latency_s = back->latency_s;
    draft.links.push_back(one);
  }
  return draft.make();
}

Result<Problem> calibrated_problem(const Problem& problem, const Calibration& calibration) {
  BERTH_TRY(Machine machine, calibrated_machine(problem, calibration));
  auto graph = std::shared_ptr<const Graph>(std::shared_ptr<void>(), &problem.graph());
  std::vector<int> columns;
  for (std::size_t i = 0; i < calibration.seconds.size(); ++i) columns.push_back(static_cast<int>(i));
  return make_problem(std::move(graph), std::make_shared<const Machine>(std::move(machine)),
                      MeasuredCosts(std::move(columns), calibration.seconds));
}

std::string write_costs_csv(const Problem& problem, const Calibration& calibration) {
  std::string text = "op,device,microseconds\n";
  for (const DeviceId device : problem.machine().device_ids()) {
    for (const OpId op : problem.graph().ops()) {
      const double seconds = calibration.seconds[index(device)][index(op)];
      if (seconds < 0.0) continue;
      text += fmt::format("{},{},{:.4f}\n", csv_cell(problem.graph().name(op)),
                          csv_cell(problem.machine().device(device).name), seconds * 1e6);
    }
  }
  return text;
}

}  // namespace berth

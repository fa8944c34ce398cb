// SPDX-License-Identifier: Apache-2.0
#include "services/measure/calibrate.h"

#include "base/text.h"
#include "base/units.h"
#include "files/files.h"
#include "format/machine_toml.h"
#include "measure/session.h"
#include "sim/simulator.h"

namespace berth {
namespace {

Result<std::vector<CalibrationRun>> run_plans(const CalibrateRequest& request, CalibrateAnswer& answer,
                                              Caller& caller) {
  const Problem& problem = answer.loaded.problem;
  BERTH_TRY(const std::unique_ptr<MeasureSession> session,
            open_session(request.problem.graph, problem, request.measuring, caller));
  std::vector<CalibrationRun> runs;
  const std::vector<Plan> plans = calibration_plans(problem);
  for (std::size_t i = 0; i < plans.size() && !caller.wants_to_stop(); ++i) {
    const std::string name = ops_by_device(problem, plans[i]);
    caller.show(fmt::format("plan {} of {}: {}", i + 1, plans.size(), name));
    Result<Sample> sample = session->measure(plans[i]);
    if (sample) {
      runs.push_back({plans[i], *std::move(sample)});
    } else {
      answer.failed.push_back(fmt::format("{}: {}", name, sample.error().message));
    }
  }
  caller.part_ends();
  if (!runs.empty()) return runs;
  return infeasible("no plan could be run: {}", answer.failed.empty() ? "interrupted" : answer.failed.front());
}

}  // namespace

std::string ops_by_device(const Problem& problem, const Plan& plan) {
  const Graph& graph = problem.graph();
  std::vector<std::size_t> ops(problem.machine().num_devices());
  for (const OpId op : graph.ops()) {
    if (graph.role(op) == Role::kCompute) ++ops[index(plan.device(op))];
  }
  std::vector<std::string> parts;
  for (const DeviceId id : problem.machine().device_ids()) {
    const std::size_t count = ops[index(id)];
    if (count > 0) parts.push_back(fmt::format("{} on {}", counted(count, "op"), problem.machine().device(id).name));
  }
  return join(parts, ", ");
}

Result<CalibrateAnswer> calibrate_graph(const CalibrateRequest& request, Caller& caller) {
  BERTH_TRY(LoadedProblem loaded, load_problem(request.problem, caller));
  CalibrateAnswer answer{.loaded = std::move(loaded)};
  const Problem& problem = answer.loaded.problem;
  caller.work_begins();
  BERTH_TRY(const std::vector<CalibrationRun> runs, run_plans(request, answer, caller));
  answer.fits = calibrate(problem, runs);
  BERTH_TRY(const Problem after, calibrated_problem(problem, answer.fits));
  for (const CalibrationRun& run : runs) {
    answer.runs.push_back({ops_by_device(problem, run.plan), run.sample.median_s(),
                           to_seconds(simulate(problem, run.plan).step_time),
                           to_seconds(simulate(after, run.plan).step_time)});
  }
  for (const std::string& failure : answer.failed) caller.note("note: a plan failed: " + failure);
  BERTH_RETURN_IF_ERROR(write_file_atomically(request.output, write_costs_csv(problem, answer.fits)));
  if (!request.machine_output.empty()) {
    BERTH_RETURN_IF_ERROR(write_file_atomically(request.machine_output, write_machine_toml(after.machine())));
  }
  return answer;
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
// `berth calibrate`: measured costs of a graph on the devices at hand.
#include <CLI/CLI.hpp>
#include <array>
#include <memory>

#include "app/commands.h"
#include "app/flags/env_flags.h"
#include "app/flags/options.h"
#include "app/output/output.h"
#include "app/output/progress.h"
#include "app/real_runs.h"
#include "base/text.h"
#include "files/files.h"
#include "files/json/json_writer.h"
#include "format/machine_toml.h"
#include "measure/calibration.h"
#include "ops/cost_class.h"
#include "services/output_path.h"
#include "services/problem/problem_request.h"
#include "services/words.h"
#include "sim/simulator.h"

namespace berth::app {
namespace {

struct CalibrateFlags {
  ProblemFlags problem;
  MeasuringFlags measuring;
  std::string output, machine_output;
  bool json = false, quiet = false;
};

// A plan that was run, and what was predicted of it before and after.
struct CheckedRun {
  std::string plan;
  double measured_s = 0.0, before_s = 0.0, after_s = 0.0;
};

struct Calibrated {
  Calibration fits;
  std::vector<CheckedRun> runs;
  std::vector<std::string> failed;
  std::shared_ptr<const Machine> machine;
};

std::string name_of_plan(const Problem& problem, const Plan& plan) {
  std::vector<std::string> parts;
  for (const DeviceId id : problem.machine().device_ids()) {
    std::size_t ops = 0;
    for (const OpId op : problem.graph().ops()) {
      ops += problem.graph().role(op) == Role::kCompute && plan.device(op) == id ? 1 : 0;
    }
    if (ops > 0) parts.push_back(fmt::format("{} on {}", counted(ops, "op"), problem.machine().device(id).name));
  }
  return join(parts, ", ");
}

double relative_error(double predicted_s, double measured_s) { return predicted_s / measured_s - 1.0; }

Result<std::vector<CalibrationRun>> run_plans(const std::string& graph, const MeasuringRequest& measuring,
                                              const Problem& problem, Caller& caller,
                                              std::vector<std::string>& failed) {
  BERTH_TRY(const std::unique_ptr<MeasureSession> session, open_session(graph, problem, measuring, caller));
  std::vector<CalibrationRun> runs;
  const std::vector<Plan> plans = calibration_plans(problem);
  for (std::size_t i = 0; i < plans.size() && !caller.wants_to_stop(); ++i) {
    caller.show(fmt::format("plan {} of {}: {}", i + 1, plans.size(), name_of_plan(problem, plans[i])));
    Result<Sample> sample = session->measure(plans[i]);
    if (sample) {
      runs.push_back({plans[i], *std::move(sample)});
    } else {
      failed.push_back(fmt::format("{}: {}", name_of_plan(problem, plans[i]), sample.error().message));
    }
  }
  caller.part_ends();
  if (runs.empty()) return infeasible("no plan could be run: {}", failed.empty() ? "interrupted" : failed.front());
  return runs;
}

std::string page_of(const Problem& problem, const Calibrated& calibrated) {
  using enum Table::Align;
  const Machine& machine = problem.machine();
  Table runs({kLeft, kRight, kRight, kRight, kRight, kRight});
  runs.add({"plan", "measured", "before", "error", "after", "error"});
  for (const CheckedRun& run : calibrated.runs) {
    runs.add({run.plan, format_seconds(run.measured_s), format_seconds(run.before_s),
              fmt::format("{:+.0f} %", 100.0 * relative_error(run.before_s, run.measured_s)),
              format_seconds(run.after_s),
              fmt::format("{:+.0f} %", 100.0 * relative_error(run.after_s, run.measured_s))});
  }
  Table classes({kLeft, kLeft, kRight, kRight, kRight, kRight});
  classes.add({"class", "device", "ops", "measured / estimate", "error before", "after"});
  for (const ClassFit& fit : calibrated.fits.classes) {
    classes.add({std::string(name_of(fit.cost_class)), machine.device(fit.device).name, group_digits(fit.ops),
                 fmt::format("{:.2f}", fit.factor), percent(fit.error_before), percent(fit.error_after)});
  }
  Table links({kLeft, kRight, kRight, kRight});
  links.add({"from > to", "transfers", "latency", "bandwidth"});
  for (const LinkFit& fit : calibrated.fits.links) {
    links.add({fmt::format("{} > {}", machine.device(fit.from).name, machine.device(fit.to).name),
               group_digits(fit.transfers), format_seconds(fit.latency_s), format_rate(fit.bytes_per_s)});
  }
  std::string page = fmt::format("{}\n{}\n{}", headline(problem) + "\n", runs.text(), classes.text());
  if (!calibrated.fits.links.empty()) page += "\n" + links.text();
  if (calibrated.fits.handover_s > 0.0) {
    page += fmt::format("{} of every latency: handing over to another device\n",
                        format_seconds(calibrated.fits.handover_s));
  }
  if (const auto& accuracy = calibrated.fits.accuracy) {
    page += fmt::format("9 of 10 real steps should take {:.2f} to {:.2f} times as long as predicted\n", accuracy->low,
                        accuracy->high);
  }
  for (const DeviceId id : machine.device_ids()) {
    page += fmt::format("{}: {} beyond the op itself, on average\n", machine.device(id).name,
                        format_seconds(calibrated.fits.overhead_s[index(id)]));
  }
  return page;
}

std::string json_of(const Problem& problem, const Calibrated& calibrated) {
  const Machine& machine = problem.machine();
  JsonWriter json;
  json.begin_object(JsonLayout::kLines)
      .key("graph")
      .value(problem.graph().title())
      .key("machine")
      .value(machine.name());
  json.key("runs").begin_array(JsonLayout::kLines);
  for (const CheckedRun& run : calibrated.runs) {
    json.begin_object().key("plan").value(run.plan).key("measured_s").value(run.measured_s);
    json.key("before_s").value(run.before_s).key("after_s").value(run.after_s).end_object();
  }
  json.end_array().key("failed").begin_array(JsonLayout::kLines);
  for (const std::string& failure : calibrated.failed) json.value(failure);
  json.end_array().key("classes").begin_array(JsonLayout::kLines);
  for (const ClassFit& fit : calibrated.fits.classes) {
    json.begin_object()
        .key("class")
        .value(name_of(fit.cost_class))
        .key("device")
        .value(machine.device(fit.device).name);
    json.key("ops").value(fit.ops).key("factor").value(fit.factor).key("error_before").value(fit.error_before);
    json.key("error_after").value(fit.error_after).end_object();
  }
  json.end_array().key("links").begin_array(JsonLayout::kLines);
  for (const LinkFit& fit : calibrated.fits.links) {
    json.begin_object().key("from").value(machine.device(fit.from).name).key("to").value(machine.device(fit.to).name);
    json.key("transfers").value(fit.transfers).key("latency_s").value(fit.latency_s);
    json.key("bytes_per_s").value(fit.bytes_per_s).end_object();
  }
  json.end_array().key("handover_s").value(calibrated.fits.handover_s).key("overhead_s").begin_object();
  for (const DeviceId id : machine.device_ids()) {
    json.key(machine.device(id).name).value(calibrated.fits.overhead_s[index(id)]);
  }
  json.end_object();
  if (const auto& accuracy = calibrated.fits.accuracy) {
    json.key("accuracy").begin_array().value(accuracy->low).value(accuracy->high).end_array();
  }
  json.end_object();
  return std::move(json).take();
}

Result<Calibrated> calibrate_graph(const std::string& graph, const MeasuringRequest& measuring, const Problem& problem,
                                   Caller& caller) {
  Calibrated calibrated;
  BERTH_TRY(const std::vector<CalibrationRun> runs, run_plans(graph, measuring, problem, caller, calibrated.failed));
  calibrated.fits = calibrate(problem, runs);
  BERTH_TRY(const Problem after, calibrated_problem(problem, calibrated.fits));
  calibrated.machine = std::make_shared<const Machine>(after.machine());
  for (const CalibrationRun& run : runs) {
    calibrated.runs.push_back({name_of_plan(problem, run.plan), run.sample.median_s(),
                               to_seconds(simulate(problem, run.plan).step_time),
                               to_seconds(simulate(after, run.plan).step_time)});
  }
  return calibrated;
}

Result<Exit> run_calibrate(const CalibrateFlags& flags) {
  BERTH_RETURN_IF_ERROR(check_can_measure("berth calibrate"));
  BERTH_RETURN_IF_ERROR(check_output_path(flags.output, files_of(flags.problem)));
  BERTH_RETURN_IF_ERROR(check_output_path(flags.machine_output, std::array{flags.problem.graph}));
  BERTH_TRY(const MeasuringRequest measuring, request_of(flags.measuring));
  BERTH_TRY(const ProblemRequest request, request_of(flags.problem));
  TerminalCaller caller(!flags.quiet);
  BERTH_TRY(const LoadedProblem loaded, load_problem(request, caller));
  const Problem& problem = loaded.problem;
  caller.work_begins();
  BERTH_TRY(const Calibrated calibrated, calibrate_graph(request.graph, measuring, problem, caller));
  for (const std::string& failure : calibrated.failed) print_note("note: a plan failed: " + failure);
  BERTH_RETURN_IF_ERROR(write_file_atomically(flags.output, write_costs_csv(problem, calibrated.fits)));
  if (!flags.machine_output.empty()) {
    BERTH_RETURN_IF_ERROR(write_file_atomically(flags.machine_output, write_machine_toml(*calibrated.machine)));
  }
  BERTH_RETURN_IF_ERROR(print(flags.json ? json_of(problem, calibrated) : page_of(problem, calibrated)));
  return Exit::kDone;
}

}  // namespace

void add_calibrate_command(CLI::App& app, Exit& exit) {
  auto flags = std::make_shared<CalibrateFlags>();
  flags->measuring.profiles = 3;
  CLI::App* command = app.add_subcommand("calibrate", "measured costs of a graph on the devices at hand");
  add_problem_flags(*command, flags->problem);
  add_measuring_flags(*command, flags->measuring);
  add_whole_number(
      *command, "--profiles", [flags](std::uint64_t count) { flags->measuring.profiles = count; }, {1, 1000},
      "steps per plan in which every op is timed; the median counts")
      ->default_str("3");
  add_output_flag(*command, flags->output, "write the costs here (CSV, for --costs)", /*required=*/true);
  command->add_option("--machine-output", flags->machine_output, "write the machine with the measured links here")
      ->type_name("FILE");
  command->add_flag("-q,--quiet", flags->quiet, "no progress line");
  add_json_flag(*command, flags->json);
  command->footer(
      "Runs the graph on each device alone, cut in two, and with a few ops elsewhere, and says how far predictions "
      "were off before and after. The machine it writes says how sure they are (accuracy).\n"
      "Example:\n  berth calibrate rnnlm.train.json.gz --machine host.toml -o costs.csv --machine-output tuned.toml\n"
      "  berth place rnnlm.train.json.gz --machine tuned.toml --costs costs.csv -o plan.json");
  command->callback([flags, &exit] { exit = finish(run_calibrate(*flags)); });
}

}  // namespace berth::app

// SPDX-License-Identifier: Apache-2.0
// `berth calibrate`: measured costs of a graph on the devices at hand.
#include <array>

#include "app/flags/env_flags.h"
#include "app/flags/options.h"
#include "app/output/output.h"
#include "app/output/progress.h"
#include "base/text.h"
#include "files/output_path.h"
#include "ops/cost_class.h"
#include "services/json/measured_json.h"
#include "services/measure/calibrate.h"
#include "services/words.h"

namespace berth::app {
namespace {

struct CalibrateFlags {
  ProblemFlags problem;
  MeasuringFlags measuring;
  std::string output, machine_output;
  bool json = false, quiet = false;
};

std::string calibrate_page(const CalibrateAnswer& answer) {
  const Problem& problem = answer.loaded.problem;
  const Machine& machine = problem.machine();
  Table runs = Table::headed({"plan", ">measured", ">before", ">error", ">after", ">error"});
  for (const CheckedRun& run : answer.runs) {
    runs.add({run.plan, format_seconds(run.measured_s), format_seconds(run.before_s),
              fmt::format("{:+.0f} %", 100.0 * run.error_before()), format_seconds(run.after_s),
              fmt::format("{:+.0f} %", 100.0 * run.error_after())});
  }
  Table classes = Table::headed({"class", "device", ">ops", ">measured / estimate", ">error before", ">after"});
  for (const ClassFit& fit : answer.fits.classes) {
    classes.add({std::string(name_of(fit.cost_class)), machine.device(fit.device).name, group_digits(fit.ops),
                 fmt::format("{:.2f}", fit.factor), percent(fit.error_before), percent(fit.error_after)});
  }
  Table links = Table::headed({"from > to", ">transfers", ">latency", ">bandwidth"});
  for (const LinkFit& fit : answer.fits.links) {
    links.add({fmt::format("{} > {}", machine.device(fit.from).name, machine.device(fit.to).name),
               group_digits(fit.transfers), format_seconds(fit.latency_s), format_rate(fit.bytes_per_s)});
  }
  std::string page = fmt::format("{}\n{}\n{}", headline(problem) + "\n", runs.text(), classes.text());
  if (!answer.fits.links.empty()) page += "\n" + links.text();
  if (answer.fits.handover_s > 0.0) {
    page +=
        fmt::format("{} of every latency: handing over to another device\n", format_seconds(answer.fits.handover_s));
  }
  if (const auto& accuracy = answer.fits.accuracy) {
    page += fmt::format("9 of 10 real steps should take {:.2f} to {:.2f} times as long as predicted\n", accuracy->low,
                        accuracy->high);
  }
  for (const DeviceId id : machine.device_ids()) {
    page += fmt::format("{}: {} beyond the op itself, on average\n", machine.device(id).name,
                        format_seconds(answer.fits.overhead_s[index(id)]));
  }
  return page;
}

Result<Exit> run_calibrate(const CalibrateFlags& flags) {
  BERTH_RETURN_IF_ERROR(check_can_measure("berth calibrate"));
  BERTH_RETURN_IF_ERROR(check_output_path(flags.output, files_of(flags.problem)));
  BERTH_RETURN_IF_ERROR(check_output_path(flags.machine_output, std::array{flags.problem.graph}));
  BERTH_TRY(const MeasuringRequest measuring, request_of(flags.measuring));
  BERTH_TRY(const ProblemRequest request, request_of(flags.problem));
  TerminalCaller caller(!flags.quiet);
  BERTH_TRY(const CalibrateAnswer answer,
            calibrate_graph({request, measuring, flags.output, flags.machine_output}, caller));
  return printed(flags.json ? calibrate_json(answer) : calibrate_page(answer));
}

}  // namespace

void add_calibrate_command(CLI::App& app, Exit& exit) {
  auto [command, flags] = add_command<CalibrateFlags>(
      app, exit, "calibrate", "measured costs of a graph on the devices at hand", run_calibrate);
  flags.measuring.profiles = 3;
  add_problem_flags(command, flags.problem);
  add_measuring_flags(command, flags.measuring);
  add_number(command, "--profiles", flags.measuring.profiles, {1, 1000},
             "steps per plan in which every op is timed; the median counts")
      ->default_str("3");
  add_output_flag(command, flags.output, "write the costs here (CSV, for --costs)")->required();
  add_text(command, "--machine-output", flags.machine_output, "FILE", "write the machine with the measured links here");
  add_quiet_flag(command, flags.quiet);
  add_json_flag(command, flags.json);
  command.footer(
      "Runs the graph on each device alone, cut in two, and with a few ops elsewhere, and says how far predictions "
      "were off before and after. The machine it writes says how sure they are (accuracy).\n"
      "Example:\n  berth calibrate rnnlm.train.json.gz --machine host.toml -o costs.csv --machine-output tuned.toml\n"
      "  berth place rnnlm.train.json.gz --machine tuned.toml --costs costs.csv -o plan.json");
}

}  // namespace berth::app

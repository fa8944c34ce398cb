// SPDX-License-Identifier: Apache-2.0
// `berth measure`: runs a plan for real. And the hidden command of the process in which it runs.
#include <cmath>

#include "app/flags/env_flags.h"
#include "app/flags/options.h"
#include "app/learned.h"
#include "app/output/output.h"
#include "app/output/progress.h"
#include "app/output/terminal.h"
#include "base/text.h"
#include "files/output_path.h"
#include "measure/session.h"
#include "services/json/measured_json.h"
#include "services/words.h"

namespace berth::app {
namespace {

struct MeasureFlags {
  ProblemFlags problem;
  MeasuringFlags measuring;
  std::vector<std::string> plans;
  std::string trace;
  bool json = false, quiet = false;
};

std::string signed_percent(double share) {
  return fmt::format("{}{}", share < 0 ? "-" : "+", percent(std::abs(share)));
}

std::string busy_table(const Problem& problem, const MeasuredPlan& measured, const MeasuredFacts& facts) {
  const Machine& machine = problem.machine();
  Table table = Table::headed({"device", ">busy", ">predicted", ">peak memory", ">predicted", ">workspaces"});
  for (const DeviceId id : machine.device_ids()) {
    const DeviceUse& use = measured.predicted.devices[index(id)];
    table.add({machine.device(id).name, format_seconds(facts.busy_s[index(id)]), format_time(use.busy),
               format_bytes(measured.sample->peak[index(id)]), format_bytes(use.peak),
               format_bytes(facts.workspaces[index(id)])});
  }
  return table.text();
}

std::string transfer_table(const Machine& machine, const MeasuredFacts& facts) {
  if (facts.links.empty()) return "";
  Table table = Table::headed({"from > to", ">transfers", ">bytes", ">busy", ">predicted"});
  for (const auto& [pair, link] : facts.links) {
    table.add({fmt::format("{} > {}", machine.device(pair.first).name, machine.device(pair.second).name),
               group_digits(link.transfers), format_bytes(link.bytes), format_seconds(link.measured_s),
               format_seconds(link.predicted_s)});
  }
  return fmt::format("\n{}", table.text());
}

std::string slowest_table(const Problem& problem, const MeasuredFacts& facts) {
  constexpr std::size_t kSlowest = 8;
  Table table = Table::headed({"slowest ops", "device", ">measured", ">predicted"});
  for (const MeasuredFacts::Op& op : facts.slowest(kSlowest)) {
    table.add({std::string(problem.graph().name(op.op)), problem.machine().device(op.device).name,
               format_seconds(op.measured_s), format_seconds(op.predicted_s)});
  }
  return fmt::format("\n{}", table.text());
}

// For a plan that could be run.
std::string measured_page(const Problem& problem, const MeasuredPlan& measured) {
  const Sample& sample = *measured.sample;
  const MeasuredFacts facts = facts_of(problem, measured);
  std::string page = headline(problem) + "\n";
  page += fmt::format("measured step   {} (median of {}, spread {})\n", bold(format_seconds(sample.median_s())),
                      counted(sample.steps_s.size(), "run"), percent(sample.spread()));
  const auto range = step_range(problem.machine(), measured.predicted);
  page += fmt::format("predicted step  {} ({}){}{}\n\n", format_time(measured.predicted.step_time),
                      signed_percent(facts.error), range ? ", 9 of 10 real steps take " + range_text(*range) : "",
                      measured.predicted.feasible ? "" : ", and that it does not fit in memory");
  return page + busy_table(problem, measured, facts) + transfer_table(problem.machine(), facts) +
         slowest_table(problem, facts);
}

Status print_page(const Problem& problem, const MeasuredPlan& measured, bool with_name) {
  if (with_name) BERTH_RETURN_IF_ERROR(print(bold(measured.path) + "\n"));
  if (!measured.sample) return print(fmt::format("failed: {}\n\n", clean(measured.sample.error().message)));
  return print(measured_page(problem, measured) + (with_name ? "\n" : ""));
}

Status print_pages(const MeasureAnswer& answer) {
  for (const MeasuredPlan& plan : answer.plans) {
    BERTH_RETURN_IF_ERROR(print_page(answer.loaded.problem, plan, answer.plans.size() > 1));
  }
  return {};
}

Result<Exit> run_measure(const MeasureFlags& flags) {
  BERTH_RETURN_IF_ERROR(check_can_measure("berth measure"));
  BERTH_RETURN_IF_ERROR(check_output_path(flags.trace, files_of(flags.problem)));
  BERTH_TRY(MeasuringRequest measuring, request_of(flags.measuring));
  BERTH_TRY(ProblemRequest problem, request_of(flags.problem));
  TerminalCaller caller(!flags.quiet);
  BERTH_TRY(const MeasureAnswer answer,
            measure_plans({std::move(problem), std::move(measuring), flags.plans, flags.trace}, caller));
  BERTH_RETURN_IF_ERROR(flags.json ? print(measure_json(answer)) : print_pages(answer));
  for (const MeasuredPlan& plan : answer.plans) {
    if (!plan.sample) return infeasible("{}: the plan failed: {}", plan.path, plan.sample.error().message);
  }
  return Exit::kDone;
}

}  // namespace

void add_measure_command(CLI::App& app, Exit& exit) {
  auto [command, flags] =
      add_command<MeasureFlags>(app, exit, "measure", "run a plan for real, beside what was predicted", run_measure);
  add_problem_flags(command, flags.problem);
  add_texts(command, "--plan", flags.plans, "FILE", "plan file, as written by berth place -o; may be repeated")
      ->required();
  add_constraint_flags(command, flags.problem.constraints);
  add_measuring_flags(command, flags.measuring);
  add_number(command, "--profiles", flags.measuring.profiles, {1, 1000}, "further steps in which every op is timed")
      ->default_str("1");
  add_text(command, "--trace", flags.trace, "FILE", "write the last of them for chrome://tracing or Perfetto");
  add_quiet_flag(command, flags.quiet);
  add_json_flag(command, flags.json);
  command.footer(
      "GRAPH is a capture (aten-graph/1): only those have the arguments of every op.\n"
      "Example:\n  berth probe --split 2 -o host.toml\n"
      "  berth place rnnlm.train.json.gz --machine host.toml -o plan.json\n"
      "  berth measure rnnlm.train.json.gz --machine host.toml --plan plan.json --trace run.json\n"
      "  berth measure rnnlm.train.json.gz --machine h200 --plan plan.json --devices cpu:0-13,cuda:0=24GiB");
}

void add_worker_command(CLI::App& app, Exit& exit) {
  struct Words {
    std::string capture, devices;
  };
  auto words = std::make_shared<Words>();
  CLI::App* command = app.add_subcommand(std::string(kWorkerCommand), "runs plans for other commands")->group("");
  command->add_option("CAPTURE", words->capture)->required();
  command->add_option("DEVICES", words->devices)->required();
  command->callback([words, &exit] { exit = finish(measure_worker(words->capture, words->devices)); });
}

}  // namespace berth::app

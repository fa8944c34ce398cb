// SPDX-License-Identifier: Apache-2.0
// `berth measure`: runs a plan for real. And the hidden command of the process in which it runs.

#include "app/flags/env_flags.h"
#include "app/flags/options.h"
#include "app/output/measured_output.h"
#include "app/output/progress.h"
#include "app/real_runs.h"
#include "files/output_path.h"
#include "measure/session.h"

namespace berth::app {
namespace {

struct MeasureFlags {
  ProblemFlags problem;
  MeasuringFlags measuring;
  std::vector<std::string> plans;
  std::string trace;
  bool json = false, quiet = false;
};

Status print_page(const Problem& problem, const MeasuredPlan& measured, bool with_name) {
  if (with_name) BERTH_RETURN_IF_ERROR(print(bold(measured.path) + "\n"));
  if (!measured.sample) return print(fmt::format("failed: {}\n\n", clean(measured.sample.error().message)));
  return print(measured_page(problem, measured) + (with_name ? "\n" : ""));
}

// One plan is one object, several are the member "plans".
Status tell(const MeasureFlags& flags, const MeasureAnswer& answer) {
  const Problem& problem = answer.loaded.problem;
  const bool many = answer.plans.size() > 1;
  if (!flags.json) {
    for (const MeasuredPlan& plan : answer.plans) BERTH_RETURN_IF_ERROR(print_page(problem, plan, many));
    return {};
  }
  return print(json_document([&](JsonWriter& json) {
    const auto write = [&](const MeasuredPlan& plan) { write_measured(json, problem, plan); };
    if (many) {
      json.objects("plans", answer.plans, write, JsonLayout::kLines);
    } else {
      write(answer.plans.front());
    }
  }));
}

Result<Exit> run_measure(const MeasureFlags& flags) {
  BERTH_RETURN_IF_ERROR(check_can_measure("berth measure"));
  BERTH_RETURN_IF_ERROR(check_output_path(flags.trace, files_of(flags.problem)));
  BERTH_TRY(MeasuringRequest measuring, request_of(flags.measuring));
  BERTH_TRY(ProblemRequest problem, request_of(flags.problem));
  TerminalCaller caller(!flags.quiet);
  BERTH_TRY(const MeasureAnswer answer,
            measure_plans({std::move(problem), std::move(measuring), flags.plans, flags.trace}, caller));
  BERTH_RETURN_IF_ERROR(tell(flags, answer));
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

// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "app/commands.h"
#include "app/flags/constraint_flags.h"
#include "app/flags/options.h"
#include "app/output/progress.h"
#include "app/output/terminal.h"
#include "files/json/json_writer.h"
#include "services/explain/report_file.h"
#include "services/plan/plan_files.h"
#include "services/plan/single_device.h"

namespace berth::app {
namespace {

struct ReportFlags {
  ProblemFlags problem;
  std::vector<std::string> plans;
  std::string output;
  bool json = false;
};

std::string told(const ReportFlags& flags, std::uintmax_t bytes) {
  if (!flags.json) return fmt::format("report written to {}\n", clean(flags.output));
  JsonWriter json;
  json.begin_object(JsonLayout::kLines).key("report").value(flags.output).key("bytes").value(bytes);
  return std::move(json.key("plans").value(flags.plans.size()).end_object()).take();
}

Result<Exit> run_report(const ReportFlags& flags) {
  BERTH_RETURN_IF_ERROR(check_report_path(flags.output, files_of(flags.problem)));
  BERTH_TRY(const ProblemRequest request, request_of(flags.problem));
  TerminalCaller caller(false);
  BERTH_TRY(const LoadedProblem loaded, load_problem(request, caller));
  const Problem& problem = loaded.problem;
  BERTH_RETURN_IF_ERROR(check_reportable());
  std::vector<Outcome> outcomes;
  for (const std::string& path : flags.plans) {
    BERTH_TRY(Outcome outcome, score_plan_file(path, "file", request, problem));
    outcome.planner = std::filesystem::path(path).filename().string();
    outcomes.push_back(std::move(outcome));
  }
  const std::optional<Outcome> single = run_single(problem, outcomes.front().lower_bound, caller);
  BERTH_RETURN_IF_ERROR(save_report(flags.output, problem, outcomes, single, BERTH_VERSION));
  std::error_code ignored;
  BERTH_RETURN_IF_ERROR(print(told(flags, std::filesystem::file_size(flags.output, ignored))));
  return Exit::kDone;
}

}  // namespace

void add_report_command(CLI::App& app, Exit& exit) {
  auto flags = std::make_shared<ReportFlags>();
  CLI::App* command = app.add_subcommand("report", "one HTML file that shows a plan, or several side by side");
  add_problem_flags(*command, flags->problem);
  add_constraint_flags(*command, flags->problem.constraints);
  add_what_if_flags(*command, flags->problem.changes);
  command->add_option("--plan", flags->plans, "plan file, as written by berth place -o; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->required();
  add_output_flag(*command, flags->output, "the HTML file", /*required=*/true);
  add_json_flag(*command, flags->json);
  command->footer(
      "Example:\n  berth report zoo:nmt-4 --machine k40x4 --plan plan.json -o report.html\n"
      "  berth report zoo:nmt-4 --machine k40x4 --plan auto.json --plan expert.json -o both.html");
  command->callback([flags, &exit] { exit = finish(run_report(*flags)); });
}

}  // namespace berth::app

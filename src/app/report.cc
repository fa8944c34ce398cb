// SPDX-License-Identifier: Apache-2.0
#include "app/flags/options.h"
#include "app/output/progress.h"
#include "app/output/terminal.h"
#include "services/explain/report_file.h"
#include "services/json/export_json.h"

namespace berth::app {
namespace {

struct ReportFlags {
  ProblemFlags problem;
  std::vector<std::string> plans;
  std::string output;
  bool json = false;
};

Result<Exit> run_report(const ReportFlags& flags) {
  BERTH_RETURN_IF_ERROR(check_report_path(flags.output, files_of(flags.problem)));
  BERTH_TRY(ProblemRequest problem, request_of(flags.problem));
  TerminalCaller caller(false);
  const ReportRequest request{std::move(problem), flags.plans, flags.output, BERTH_VERSION};
  BERTH_TRY(const std::uintmax_t bytes, write_report(request, caller));
  if (!flags.json) return printed(fmt::format("report written to {}\n", clean(flags.output)));
  return printed(report_json(request, bytes));
}

}  // namespace

void add_report_command(CLI::App& app, Exit& exit) {
  auto [command, flags] = add_command<ReportFlags>(
      app, exit, "report", "one HTML file that shows a plan, or several side by side", run_report);
  add_problem_flags(command, flags.problem);
  add_constraint_flags(command, flags.problem.constraints);
  add_what_if_flags(command, flags.problem.changes);
  add_texts(command, "--plan", flags.plans, "FILE", "plan file, as written by berth place -o; may be repeated")
      ->required();
  add_output_flag(command, flags.output, "the HTML file")->required();
  add_json_flag(command, flags.json);
  command.footer(
      "Example:\n  berth report zoo:nmt-4 --machine k40x4 --plan plan.json -o report.html\n"
      "  berth report zoo:nmt-4 --machine k40x4 --plan auto.json --plan expert.json -o both.html");
}

}  // namespace berth::app

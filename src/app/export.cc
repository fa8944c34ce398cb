// SPDX-License-Identifier: Apache-2.0
#include "app/flags/options.h"
#include "app/output/progress.h"
#include "app/output/terminal.h"
#include "base/text.h"
#include "services/export/export_plan.h"
#include "services/json/export_json.h"

namespace berth::app {
namespace {

struct ExportFlags {
  ProblemFlags problem;
  std::string plan, format, output, module_prefix;
  std::vector<std::string> names;  // DEVICE=NAME
  bool json = false;
};

std::string export_text(const ExportFlags& flags, const PlanExportAnswer& answer) {
  std::string text = fmt::format("written to {}\n", clean(flags.output));
  if (answer.format.is_folder) {
    std::vector<std::string> names;
    for (const ExportedFile& file : answer.exported.files) names.push_back(clean(file.name));
    text = fmt::format("{} written to {}: {}\n", counted(names.size(), "file"), clean(flags.output), join(names, ", "));
  }
  for (const std::string& note : answer.exported.notes) text += fmt::format("note: {}\n", clean(note));
  return text;
}

Result<Exit> run_export(const ExportFlags& flags) {
  BERTH_TRY(ProblemRequest problem, request_of(flags.problem));
  TerminalCaller caller(false);
  const PlanExportRequest request{std::move(problem), flags.plan,  flags.format,
                                  flags.output,       flags.names, flags.module_prefix};
  BERTH_TRY(const PlanExportAnswer answer, export_plan(request, caller));
  return printed(flags.json ? export_json(request, answer) : export_text(flags, answer));
}

std::string formats_text() {
  std::string text = "Formats:\n";
  for (const ExportFormat& format : export_formats()) {
    const std::string what = format.is_folder ? " (OUT is a folder)" : "";
    const std::string takes = format.takes.empty() ? "" : fmt::format(" [{}]", format.takes);
    text += fmt::format("  {:<18}{}{}{}\n", format.name, format.summary, what, takes);
  }
  return text;
}

}  // namespace

void add_export_command(CLI::App& app, Exit& exit) {
  auto [command, flags] =
      add_command<ExportFlags>(app, exit, "export", "a plan in the form that a runtime or a viewer takes", run_export);
  add_problem_flags(command, flags.problem);
  add_text(command, "--plan", flags.plan, "FILE",
           "plan to export: of berth place -o, or any that berth score reads; or a pipeline (berth-pipeline/1)")
      ->required();
  add_text(command, "--to", flags.format, "FORMAT", "format, see below")->required();
  add_output_flag(command, flags.output, "file or folder to write")->required();
  add_texts(command, "--name", flags.names, "DEVICE=NAME",
            "what the runtime calls a device, where it is not the n-th of its kind");
  add_text(command, "--module-prefix", flags.module_prefix, "MODULE",
           "path of the user's model within the modules of the graph, left out of the names written");
  add_json_flag(command, flags.json);
  command.footer(
      fmt::format("{}\nWithout --machine the machine is the one that the plan was made for, if it is built in.\n\n"
                  "Example:\n  berth export zoo:rnnlm --plan plan.json --to perfetto -o rnnlm.pftrace\n"
                  "  berth export bert.onnx --plan plan.json --to ort-stages -o stages",
                  formats_text()));
}

}  // namespace berth::app

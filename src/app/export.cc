// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>

#include "app/commands.h"
#include "app/flags/constraint_flags.h"
#include "app/flags/options.h"
#include "app/output/json_output.h"
#include "app/output/progress.h"
#include "app/output/terminal.h"
#include "base/text.h"
#include "export/device_names.h"
#include "files/json/json_writer.h"
#include "machine/library.h"
#include "services/export/export_formats.h"
#include "services/export/export_promise.h"
#include "services/output_path.h"
#include "services/plan/plan_files.h"
#include "services/plan/single_device.h"

namespace berth::app {
namespace {

struct ExportFlags {
  ProblemFlags problem;
  std::string plan, format, output, module_prefix;
  std::vector<std::string> names;  // DEVICE=NAME
  bool json = false;
};

// What can be found wrong before anything is read.
Status check_flags(const ExportFlags& flags, const ExportFormat& format) {
  const std::vector<std::string_view> endings = split(format.takes, ' ');
  const bool fits = format.takes.empty() || std::ranges::any_of(endings, [&](std::string_view ending) {
                      return flags.problem.graph.ends_with(ending);
                    });
  if (!fits) {
    return bad_input("--to {} writes the model's own file again, and needs one that ends in {}; {} does not",
                     format.name, format.takes, flags.problem.graph);
  }
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(flags.output, ignored);
  if (!format.is_folder) {
    return check_output_path(flags.output, std::array{flags.problem.graph, flags.problem.machine, flags.plan});
  }
  if (!is_folder && std::filesystem::exists(flags.output, ignored)) {
    return bad_input("{}: --to {} writes a folder of files, and this is a file", flags.output, format.name);
  }
  return {};
}

Result<std::map<std::string, std::string>> read_names(const std::vector<std::string>& words) {
  std::map<std::string, std::string> names;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == word.size()) {
      return bad_input("--name: '{}' is not DEVICE=NAME, as in gpu0=GPU.1", word);
    }
    const auto [entry, is_new] = names.emplace(word.substr(0, equals), word.substr(equals + 1));
    if (!is_new) return bad_input("--name: '{}' has two names", entry->first);
  }
  return names;
}

// Without --machine the one that the plan was made for, if it is built in.
void take_builtin_machine_of_plan(const std::string& plan, ProblemFlags& flags) {
  if (!flags.machine.empty()) return;
  const std::optional<std::string> name = machine_of_plan_file(plan);
  if (name && builtin_machine(*name)) flags.machine = *name;
}

// Member "promise".
void write_promise(JsonWriter& json, const ExportPromise& promise) {
  json.key("promise").begin_object();
  json.key("weights_sent").value(promise.sent.count()).key("weight_bytes_sent").value(promise.sent.bytes);
  json.key("step_time_s").value(promise.planned.value_s());
  json.key("resident_step_time_s").value(promise.resident.value_s());
  if (promise.hetero) {
    const auto& [region_cost_s, outcome, single] = *promise.hetero;
    json.key("hetero").begin_object().key("overlap").value(false).key("region_cost_s").value(region_cost_s);
    json.key("step_time_s").value(outcome.value_s());
    json.key("is_slower_than_single_device").value(is_slower_than_single(outcome, single));
    write_single(json, outcome, single);
    json.end_object();
  }
  json.end_object();
}

std::string summary(const ExportFlags& flags, const Exported& exported, bool is_folder,
                    const std::optional<ExportPromise>& promise) {
  if (flags.json) {
    JsonWriter json;
    json.begin_object(JsonLayout::kLines).key("format").value(flags.format).key("output").value(flags.output);
    json.key("files").begin_array();
    for (const ExportedFile& file : exported.files) {
      json.value(is_folder ? (std::filesystem::path(flags.output) / file.name).string() : flags.output);
    }
    json.end_array().key("notes").begin_array(JsonLayout::kLines);
    for (const std::string& note : exported.notes) json.value(note);
    json.end_array();
    if (promise) write_promise(json, *promise);
    json.end_object();
    return std::move(json).take();
  }
  std::string text =
      is_folder ? fmt::format("{} written to {}: ", counted(exported.files.size(), "file"), clean(flags.output))
                : fmt::format("written to {}\n", clean(flags.output));
  if (is_folder) {
    std::vector<std::string> names;
    for (const ExportedFile& file : exported.files) names.push_back(clean(file.name));
    text += join(names, ", ") + "\n";
  }
  for (const std::string& note : exported.notes) text += fmt::format("note: {}\n", clean(note));
  return text;
}

Result<Exit> run_export(ExportFlags flags) {
  BERTH_TRY(const ExportFormat format, find_export_format(flags.format));
  BERTH_RETURN_IF_ERROR(check_flags(flags, format));
  BERTH_TRY(auto names, read_names(flags.names));
  if (!flags.module_prefix.empty() && flags.format != "accelerate") {
    return bad_input("--module-prefix is for --to accelerate, which speaks of modules; leave it out");
  }
  take_builtin_machine_of_plan(flags.plan, flags.problem);
  BERTH_TRY(const ProblemRequest request, request_of(flags.problem));
  TerminalCaller caller(false);
  BERTH_TRY(const LoadedProblem loaded, load_problem(request, caller));
  BERTH_TRY(const ReadPlan read, read_plan(flags.plan, request, loaded.problem));
  BERTH_TRY(const ExportAnswer answer, export_plan(format, {.problem = loaded.problem,
                                                            .plan = read.plan,
                                                            .source = request.graph,
                                                            .names = std::move(names),
                                                            .module_prefix = flags.module_prefix,
                                                            .import = request.import}));
  BERTH_RETURN_IF_ERROR(save_export(format, answer.exported, flags.output));
  BERTH_RETURN_IF_ERROR(print(summary(flags, answer.exported, format.is_folder, answer.promise)));
  return Exit::kDone;
}

std::string formats_text() {
  std::string text = "Formats:\n";
  for (const ExportFormat& format : export_formats()) {
    const std::string what = format.is_folder ? " (OUT is a folder)" : "";
    const std::string takes = format.takes.empty() ? "" : fmt::format(" [{}]", format.takes);
    text += fmt::format("  {:<17}{}{}{}\n", format.name, format.summary, what, takes);
  }
  return text;
}

}  // namespace

void add_export_command(CLI::App& app, Exit& exit) {
  auto flags = std::make_shared<ExportFlags>();
  CLI::App* command = app.add_subcommand("export", "a plan in the form that a runtime or a viewer takes");
  add_problem_flags(*command, flags->problem);
  command->add_option("--plan", flags->plan, "plan to export: of berth place -o, or any that berth score reads")
      ->required()
      ->type_name("FILE");
  command->add_option("--to", flags->format, "format, see below")->required()->type_name("FORMAT");
  add_output_flag(*command, flags->output, "file or folder to write", true);
  command->add_option("--name", flags->names, "what the runtime calls a device, where it is not the n-th of its kind")
      ->type_name("DEVICE=NAME")
      ->allow_extra_args(false);
  command
      ->add_option("--module-prefix", flags->module_prefix,
                   "accelerate: path of the user's model within the modules of the graph, left out of the map's names")
      ->type_name("MODULE");
  add_json_flag(*command, flags->json);
  command->footer(
      fmt::format("{}\nWithout --machine the machine is the one that the plan was made for, if it is built in.\n\n"
                  "Example:\n  berth export zoo:rnnlm --plan plan.json --to perfetto -o rnnlm.pftrace\n"
                  "  berth export bert.onnx --plan plan.json --to ort-stages -o stages",
                  formats_text()));
  command->callback([flags, &exit] { exit = finish(run_export(*flags)); });
}

}  // namespace berth::app

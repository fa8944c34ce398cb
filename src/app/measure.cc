// SPDX-License-Identifier: Apache-2.0
// `berth measure`: runs a plan for real. And the hidden command of the process in which it runs.
#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands.h"
#include "app/flags/constraint_flags.h"
#include "app/flags/env_flags.h"
#include "app/flags/options.h"
#include "app/output/measured_output.h"
#include "app/output/output.h"
#include "app/output/progress.h"
#include "app/real_runs.h"
#include "files/files.h"
#include "files/json/json_reader.h"
#include "files/json/json_writer.h"
#include "format/plan_file.h"
#include "services/output_path.h"
#include "services/problem/problem_request.h"
#include "sim/simulator.h"

namespace berth::app {
namespace {

struct MeasureFlags {
  ProblemFlags problem;
  MeasuringFlags measuring;
  std::vector<std::string> plans;
  std::string trace;
  bool json = false, quiet = false;
};

// Without --machine: the one the plan was made for, by name.
Status require_machine_of_plan(const std::string& path, ProblemFlags& flags) {
  if (!flags.machine.empty()) return {};
  BERTH_TRY(std::string text, read_file(path));
  Result<JsonDocument> document = JsonDocument::open(std::move(text));
  if (!document) return in_file(path, document.error());
  const Result<std::string> name = document->string("machine");
  if (!name) return in_file(path, name.error());
  flags.machine = *name;
  if (!load_machine(flags.machine)) {
    return bad_input("{}: it was made for machine '{}', which is not built in; say --machine", path, *name);
  }
  return {};
}

struct MeasuredFile {
  std::string path;
  Plan plan;
  Result<Sample> sample;
};

Result<Plan> read_plan(const std::string& path, const Problem& problem) {
  BERTH_TRY(const Plan plan, load_plan_file(path, problem.graph(), problem.machine()));
  if (const auto broken = verify(problem, plan)) return within(path, *broken);
  return plan;
}

Result<std::vector<MeasuredFile>> measure_files(const MeasureFlags& flags, const MeasuringRequest& measuring,
                                                const Problem& problem, Caller& caller) {
  std::vector<Plan> plans;  // all are read before any is run
  for (const std::string& path : flags.plans) {
    BERTH_TRY(Plan plan, read_plan(path, problem));
    plans.push_back(std::move(plan));
  }
  caller.work_begins();
  caller.show(std::string("loading the graph"));
  BERTH_TRY(const std::unique_ptr<MeasureSession> session,
            open_session(flags.problem.graph, problem, measuring, caller));
  std::vector<MeasuredFile> files;
  for (std::size_t i = 0; i < plans.size() && !(i > 0 && caller.wants_to_stop()); ++i) {
    caller.show(fmt::format("plan {} of {}", i + 1, plans.size()));
    Result<Sample> sample = session->measure(plans[i]);
    files.push_back({flags.plans[i], std::move(plans[i]), std::move(sample)});
  }
  caller.part_ends();
  return files;
}

Status print_page(const Problem& problem, const MeasuredFile& file, bool with_name) {
  if (with_name) BERTH_RETURN_IF_ERROR(print(bold(file.path) + "\n"));
  if (!file.sample) return print(fmt::format("failed: {}\n\n", clean(file.sample.error().message)));
  const Score predicted = simulate(problem, file.plan);
  return print(measured_page({problem, file.plan, *file.sample, predicted}) + (with_name ? "\n" : ""));
}

void write_json(JsonWriter& json, const Problem& problem, const MeasuredFile& file) {
  json.begin_object(JsonLayout::kLines).key("plan").value(file.path).key("failed");
  if (file.sample) {
    const Score predicted = simulate(problem, file.plan);
    json.null();
    write_measured(json, {problem, file.plan, *file.sample, predicted});
  } else {
    json.value(file.sample.error().message).key("measured_step_s").null();
  }
  json.end_object();
}

// One plan is one object, several are the member "plans".
Status report(const MeasureFlags& flags, const Problem& problem, const std::vector<MeasuredFile>& files) {
  const bool many = files.size() > 1;
  if (!flags.json) {
    for (const MeasuredFile& file : files) BERTH_RETURN_IF_ERROR(print_page(problem, file, many));
    return {};
  }
  JsonWriter json;
  if (many) json.begin_object(JsonLayout::kLines).key("plans").begin_array(JsonLayout::kLines);
  for (const MeasuredFile& file : files) write_json(json, problem, file);
  if (many) json.end_array().end_object();
  return print(std::move(json).take());
}

Result<Exit> run_measure(MeasureFlags flags) {
  BERTH_RETURN_IF_ERROR(check_can_measure("berth measure"));
  BERTH_RETURN_IF_ERROR(check_output_path(flags.trace, files_of(flags.problem)));
  if (!flags.trace.empty() && flags.plans.size() > 1) return bad_input("--trace is for one plan");
  BERTH_RETURN_IF_ERROR(require_machine_of_plan(flags.plans.front(), flags.problem));
  BERTH_TRY(const MeasuringRequest measuring, request_of(flags.measuring));
  BERTH_TRY(const ProblemRequest request, request_of(flags.problem));
  TerminalCaller caller(!flags.quiet);
  BERTH_TRY(const LoadedProblem loaded, load_problem(request, caller));
  const Problem& problem = loaded.problem;
  if (problem.objective() != Objective::kStep) return bad_input("--objective: only steps can be measured");
  BERTH_TRY(const std::vector<MeasuredFile> files, measure_files(flags, measuring, problem, caller));
  if (!flags.trace.empty() && files.front().sample) {
    const Score predicted = simulate(problem, files.front().plan);
    const MeasuredPlan measured{problem, files.front().plan, *files.front().sample, predicted};
    BERTH_RETURN_IF_ERROR(write_file_atomically(flags.trace, measured_trace(measured)));
  }
  BERTH_RETURN_IF_ERROR(report(flags, problem, files));
  for (const MeasuredFile& file : files) {
    if (!file.sample) return infeasible("{}: the plan failed: {}", file.path, file.sample.error().message);
  }
  return Exit::kDone;
}

}  // namespace

void add_measure_command(CLI::App& app, Exit& exit) {
  auto flags = std::make_shared<MeasureFlags>();
  CLI::App* command = app.add_subcommand("measure", "run a plan for real, beside what was predicted");
  add_problem_flags(*command, flags->problem);
  command->add_option("--plan", flags->plans, "plan file, as written by berth place -o; may be repeated")
      ->required()
      ->type_name("FILE")
      ->allow_extra_args(false);
  add_constraint_flags(*command, flags->problem.constraints);
  add_measuring_flags(*command, flags->measuring);
  add_whole_number(
      *command, "--profiles", [flags](std::uint64_t count) { flags->measuring.profiles = count; }, {1, 1000},
      "further steps in which every op is timed")
      ->default_str("1");
  command->add_option("--trace", flags->trace, "write the last of them for chrome://tracing or Perfetto")
      ->type_name("FILE");
  command->add_flag("-q,--quiet", flags->quiet, "no progress line");
  add_json_flag(*command, flags->json);
  command->footer(
      "GRAPH is a capture (aten-graph/1): only those have the arguments of every op.\n"
      "Example:\n  berth probe --split 2 -o host.toml\n"
      "  berth place rnnlm.train.json.gz --machine host.toml -o plan.json\n"
      "  berth measure rnnlm.train.json.gz --machine host.toml --plan plan.json --trace run.json\n"
      "  berth measure rnnlm.train.json.gz --machine h200 --plan plan.json --devices cpu:0-13,cuda:0=24GiB");
  command->callback([flags, &exit] { exit = finish(run_measure(*flags)); });
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

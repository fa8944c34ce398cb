// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "app/flags/options.h"
#include "app/output/pipeline_output.h"
#include "app/output/progress.h"
#include "base/text.h"
#include "files/output_path.h"
#include "services/json/pipeline_json.h"
#include "services/pipeline/pipeline.h"

namespace berth::app {
namespace {

struct PipelineFlags {
  ProblemFlags problem;
  std::uint32_t microbatches = 8;
  std::uint64_t seed = 1;
  std::string schedule, plan, output, budget = "8s";
  bool recompute = true, split = true, share = true;
  bool one_more = false, json = false, timeline = false, quiet = false;
};

Result<PipelineRequest> pipeline_request_of(const PipelineFlags& flags) {
  PipelineRequest request;
  BERTH_TRY(request.problem, request_of(flags.problem));
  BERTH_TRY(request.schedule, find_schedule(flags.schedule));
  SearchFlags search;
  search.budget = flags.budget;
  BERTH_TRY(const Budget budget, budget_of(search));
  request.time_s = budget.time_s;
  request.microbatches = flags.microbatches;
  request.seed = flags.seed;
  request.may_recompute = flags.recompute;
  request.may_split = flags.split;
  request.may_share = flags.share;
  request.one_more = flags.one_more;
  request.given = flags.plan;
  request.output = flags.output;
  return request;
}

Result<Exit> run_pipeline(const PipelineFlags& flags) {
  std::vector<std::string> sources = files_of(flags.problem);
  sources.push_back(flags.plan);
  BERTH_RETURN_IF_ERROR(check_output_path(flags.output, sources));
  BERTH_TRY(const PipelineRequest request, pipeline_request_of(flags));
  TerminalCaller caller(false);
  BERTH_TRY(const PipelineAnswer answer, answer_pipeline(request, caller));
  BERTH_RETURN_IF_ERROR(print(flags.json ? pipeline_json(answer, flags.timeline) : pipeline_page(answer)));
  BERTH_RETURN_IF_ERROR(answer.saved);
  if (answer.fits()) return Exit::kDone;
  return infeasible("{}", pipeline_overflow(answer));
}

}  // namespace

void add_pipeline_command(CLI::App& app, Exit& exit) {
  auto [command, flags] = add_command<PipelineFlags>(
      app, exit, "pipeline", "stages, schedule and recomputation for training on several devices", run_pipeline);
  add_problem_flags(command, flags.problem);
  add_what_if_flags(command, flags.problem.changes);
  CLI::Option* count = add_number(command, "--microbatches", flags.microbatches, {1, kMostMicrobatches},
                                  "microbatches of a step, each as large as the graph says; default: 8");
  CLI::Option* schedule = add_text(
      command, "--schedule", flags.schedule, "NAME",
      fmt::format("only this schedule: {}; default: the best of all", join(pipeline::planning_schedules(), ", ")));
  command.add_flag("--recompute,!--no-recompute", flags.recompute, "stages may run their forward pass again");
  command.add_flag("--split-backward,!--no-split-backward", flags.split,
                   "gradients of weights may be made apart from those of inputs");
  command.add_flag("--share,!--no-share", flags.share, "a device may have two stages");
  command.add_flag("--one-more", flags.one_more, "also what one more card of each kind would bring");
  add_text(command, "--plan", flags.plan, "FILE", "judge this pipeline (berth-pipeline/1) instead of a search")
      ->excludes(count)
      ->excludes(schedule);
  command.add_option("--budget", flags.budget, "time at most: 500ms, 10s or 5min; it usually ends earlier")
      ->capture_default_str();
  add_number(command, "--seed", flags.seed, {}, "of the search in the order of actions");
  add_output_flag(command, flags.output, "write the pipeline to this file (berth-pipeline/1)");
  CLI::Option* timeline =
      command.add_flag("--timeline", flags.timeline, "in --json: every action with its start and end");
  add_quiet_flag(command, flags.quiet);
  add_json_flag(command, flags.json);
  timeline->needs(command.get_option("--json"));
  command.footer(
      "Examples:\n  berth pipeline zoo:gpt2 --machine a100-v100 --microbatches 8 -o pipeline.json\n"
      "  berth pipeline zoo:gpt2 --machine a100-v100 --schedule 1f1b --no-recompute\n"
      "  berth pipeline zoo:gpt2 --machine a100-v100 --plan pipeline.json --json --timeline\n"
      "  berth pipeline zoo:gpt2 --machine a100-v100 --add-device a100    (with one more card)");
}

}  // namespace berth::app

// SPDX-License-Identifier: Apache-2.0
#include "services/plan/place.h"

#include "app/flags/env_flags.h"
#include "app/flags/options.h"
#include "app/learned.h"
#include "app/output/output.h"
#include "app/output/progress.h"
#include "app/output/terminal.h"
#include "base/text.h"
#include "files/output_path.h"
#include "services/explain/report_file.h"
#include "services/json/comparison_json.h"
#include "services/json/outcome_json.h"
#include "services/plan/buckets.h"
#include "services/words.h"

namespace berth::app {
namespace {

// Decisions apart from the one where ops go.
struct StageFlags {
  std::string fusion, schedule;  // names of methods; empty: not given
  std::string placement;         // plan file whose devices stay; empty: a planner places

  // The first flag that is set, as in "--fusion"; empty if none is.
  [[nodiscard]] std::string_view given() const;
};

// Rows of fusion_methods() or schedule_methods().
template <typename Rows>
std::string help_of_methods(std::string_view what, const Rows& rows) {
  std::string text(what);
  for (const auto& row : rows) text += fmt::format("\n{}: {}", row.name, row.summary);
  return text;
}

std::string_view StageFlags::given() const {
  if (!fusion.empty()) return "--fusion";
  if (!schedule.empty()) return "--schedule";
  return placement.empty() ? "" : "--placement";
}

// Gives the option for --placement back, which excludes planners.
CLI::Option* add_stage_flags(CLI::App& command, StageFlags& flags) {
  add_text(command, "--fusion", flags.fusion, "METHOD",
           help_of_methods("who decides which ops run as one; default: keep", fusion_methods()));
  add_text(command, "--schedule", flags.schedule, "METHOD",
           help_of_methods("who decides the order of the ops of a device; default: keep", schedule_methods()));
  return add_text(command, "--placement", flags.placement, "PLAN",
                  "plan file whose devices stay as they are: only --fusion and --schedule are decided");
}

// Everything about the flags that can be said before a file is read.
Result<StageRequest> request_of(const StageFlags& flags) {
  BERTH_TRY(StageRequest request, find_stages(flags.fusion, flags.schedule));
  if (flags.placement.empty() || request.any()) return request;
  return bad_input(
      "--placement leaves nothing to decide; add --fusion or --schedule (berth score judges a plan as it is)");
}

struct PlaceFlags {
  ProblemFlags problem;
  SearchFlags search;
  LearnedFlags learned;
  PolicyFlags policy;
  StageFlags stages;
  EnvFlags env;
  std::string planner = "auto", start, output, report;
  bool json = false;
};

// Who places; with --placement nobody need.
Result<ChosenPlanner> choose_planner(const PlaceFlags& flags) {
  if (!flags.stages.placement.empty()) {
    if (flags.learned.given().empty()) return ChosenPlanner{};
    return bad_input("{} is for learned planners; with --placement nobody learns", flags.learned.given());
  }
  const LearningRequest learning = learning_of(flags.learned, flags.env);
  if (flags.policy.run.empty()) return planner_catalog().find(flags.planner, learning);
  if (flags.policy.is_start && flags.planner != "auto") {
    return bad_input("--policy together with --planner {}: only auto begins with a policy's plan", flags.planner);
  }
  return choose_trained(flags.policy, learning);
}

// Plans to go on from are for planners that can.
Status check_start(const PlaceFlags& flags, const ChosenPlanner& planner) {
  if (flags.start.empty() || planner.takes_start) return {};
  return bad_input("--start: only auto and anneal go on from a plan, '{}' does not", planner.name);
}

// What simulates beside the planner does not go with real runs.
Status check_env(const PlaceFlags& flags, Environment environment, std::size_t buckets) {
  if (environment == Environment::kSimulate) return {};
  if (buckets > 1) return bad_input("--env {} is for one graph, so every --dim takes one size", flags.env.env);
  if (!flags.policy.run.empty()) return bad_input("--env {} does not go with --policy, which simulates", flags.env.env);
  if (const auto given = flags.stages.given(); !given.empty()) {
    return bad_input("--env {} does not go with {}, which simulates", flags.env.env, given);
  }
  return {};
}

// What is for one graph does not go with several sizes of it.
Status check_one_graph(const PlaceFlags& flags) {
  if (!flags.policy.run.empty()) return bad_input("--policy is for one graph, so every --dim takes one size");
  if (const auto given = flags.stages.given(); !given.empty()) {
    return bad_input("{} is for one graph, so every --dim takes one size", given);
  }
  if (!flags.report.empty()) return bad_input("--report is for one graph, so every --dim takes one size");
  if (!flags.start.empty()) return bad_input("--start is for one graph, so every --dim takes one size");
  if (!flags.problem.changes.empty()) return bad_input("--set and --add-device: every --dim takes one size then");
  return {};
}

std::string time_of(const Outcome& outcome) {
  if (outcome.error) return outcome.started ? "no plan" : "not run";
  return outcome.score.feasible ? format_time(outcome.score.step_time) : alarm("OOM");
}

std::string regret_text(const PlacedBuckets& placed, std::size_t bucket) {
  if (placed.shared.empty() || !placed.regrets[bucket]) return "-";
  return *placed.regrets[bucket] > 0.0 ? percent(*placed.regrets[bucket]) : "none";
}

std::string verdict(const PlacedBuckets& placed) {
  if (placed.shared.empty()) return fmt::format("no plan for all: {}\n", clean(placed.error->message));
  const std::string how =
      fmt::format("one plan for all ({}, {}, {}{})", placed.note, format_seconds(placed.search_s),
                  counted(placed.evaluations, "evaluation"), placed.interrupted ? ", interrupted" : "");
  if (!placed.feasible()) return clean(how) + ": it does not fit in memory at every size\n";
  const std::size_t worst = placed.worst();
  const double most = placed.regrets[worst].value();
  if (most <= 0.0) return clean(how) + ": it costs nothing at any size\n";
  return clean(fmt::format("{}: it costs at most {}, for {}; {} on average", how, percent(most),
                           placed.buckets[worst].label(), percent(placed.mean_regret()))) +
         "\n";
}

std::string buckets_page(const PlacedBuckets& placed) {
  Table table = Table::headed({"size", ">own plan", ">one for all", ">regret", ">fullest memory"});
  for (std::size_t i = 0; i < placed.buckets.size(); ++i) {
    const bool has_shared = !placed.shared.empty();
    const Outcome& told = has_shared ? placed.shared[i] : placed.own[i];
    table.add({placed.buckets[i].label(), time_of(placed.own[i]), has_shared ? time_of(placed.shared[i]) : "-",
               regret_text(placed, i), told.error ? "-" : fullest_memory(placed.problems[i], told.score)});
  }
  return headline(placed.problems.front()) + "\n" + table.text() + verdict(placed);
}

std::string written_text(const std::string& path, const PlacedBuckets& placed) {
  std::string text = "\n";
  if (!placed.shared.empty()) text += fmt::format("plan for all sizes written to {}\n", clean(path));
  std::vector<std::string> files;
  for (std::size_t i = 0; i < placed.own.size(); ++i) {
    if (!placed.own[i].error) files.push_back(clean(bucket_path(path, placed.buckets[i])));
  }
  return text + fmt::format("plan for each size written to {}\n", join(files, ", "));
}

Result<Exit> run_buckets(const PlaceFlags& flags, const ChosenPlanner& planner, const Budget& budget,
                         std::vector<Bucket> buckets) {
  BERTH_RETURN_IF_ERROR(check_one_graph(flags));
  BERTH_RETURN_IF_ERROR(check_bucket_paths(flags.output, buckets, files_of(flags.problem)));
  BERTH_TRY(const ProblemRequest request, request_without_sizes(flags.problem));
  TerminalCaller caller(!flags.search.quiet);
  BERTH_TRY(const PlacedBuckets placed, place_buckets(request, std::move(buckets), planner, budget, caller));
  const Status saved = flags.output.empty() ? Status() : save_buckets(flags.output, placed);
  BERTH_RETURN_IF_ERROR(print(flags.json ? buckets_json(placed) : buckets_page(placed)));
  const bool is_written = saved.ok() && !flags.output.empty() && !flags.json;
  if (is_written) BERTH_RETURN_IF_ERROR(print(written_text(flags.output, placed)));
  BERTH_RETURN_IF_ERROR(saved);
  if (const auto failure = failure_of(placed)) return *failure;
  return Exit::kDone;
}

Status print_page(const PlaceFlags& flags, const PlaceAnswer& answer, const Status& reported) {
  BERTH_RETURN_IF_ERROR(
      print(outcome_page(answer.loaded.problem, answer.outcome, answer.single, answer.loaded.costs, answer.before)));
  const bool written = answer.saved.ok() && !flags.output.empty();
  if (written) BERTH_RETURN_IF_ERROR(print(fmt::format("\nplan written to {}\n", clean(flags.output))));
  const bool shown = reported.ok() && !flags.report.empty();
  if (shown) BERTH_RETURN_IF_ERROR(print(fmt::format("\nreport written to {}\n", clean(flags.report))));
  return {};
}

// The answer as text or JSON, its report, and the status it stands for.
Result<Exit> tell(const PlaceFlags& flags, const PlaceAnswer& answer) {
  const Outcome& outcome = answer.outcome;
  const Problem& problem = answer.loaded.problem;
  if (outcome.error) {
    if (flags.json) BERTH_RETURN_IF_ERROR(print(outcome_json(answer.loaded, outcome, std::nullopt)));
    return *outcome.error;
  }
  const Status reported =
      flags.report.empty() ? Status() : save_report(flags.report, problem, {outcome}, answer.single, BERTH_VERSION);
  BERTH_RETURN_IF_ERROR(flags.json ? print(outcome_json(answer.loaded, outcome, answer.single, answer.before))
                                   : print_page(flags, answer, reported));
  BERTH_RETURN_IF_ERROR(answer.saved);
  BERTH_RETURN_IF_ERROR(reported);
  if (outcome.score.feasible) return Exit::kDone;
  return infeasible("{}", overflow_text(problem, outcome));
}

Result<Exit> run_place(const PlaceFlags& flags) {
  BERTH_TRY(StageRequest stages, request_of(flags.stages));
  BERTH_TRY(const ChosenPlanner planner, choose_planner(flags));
  BERTH_RETURN_IF_ERROR(check_start(flags, planner));
  BERTH_TRY(const Budget budget, budget_of(flags.search));
  BERTH_TRY(std::vector<Bucket> buckets, read_buckets(flags.problem.dims));
  BERTH_TRY(const JudgeRequest judge, request_of(flags.env));
  BERTH_RETURN_IF_ERROR(check_env(flags, judge.environment, buckets.size()));
  if (buckets.size() > 1) return run_buckets(flags, planner, budget, std::move(buckets));
  BERTH_RETURN_IF_ERROR(check_output_path(flags.output, files_of(flags.problem)));
  BERTH_RETURN_IF_ERROR(check_report_path(flags.report, files_of(flags.problem)));
  BERTH_TRY(ProblemRequest problem, request_of(flags.problem));
  if (!flags.report.empty()) BERTH_RETURN_IF_ERROR(check_reportable());
  const PlaceRequest request{.problem = std::move(problem),
                             .planner = planner,
                             .start = flags.start,
                             .placement = flags.stages.placement,
                             .stages = std::move(stages),
                             .judge = judge,
                             .budget = budget,
                             .output = flags.output};
  TerminalCaller caller(!flags.search.quiet);
  BERTH_TRY(const PlaceAnswer answer, place(request, caller));
  return tell(flags, answer);
}

}  // namespace

void add_place_command(CLI::App& app, Exit& exit) {
  auto [command, flags] =
      add_command<PlaceFlags>(app, exit, "place", "find a plan: which device runs each op", run_place);
  add_problem_flags(command, flags.problem, /*takes_size_lists=*/true);
  CLI::Option* planner =
      command.add_option("-p,--planner", flags.planner, "who plans (berth planners)")->capture_default_str();
  planner->each([&policy = flags.policy](const std::string& /*name*/) { policy.is_start = true; });
  add_policy_flags(command, flags.policy);
  CLI::Option* policy = command.get_option("--policy");
  CLI::Option* start = add_text(command, "--start", flags.start, "PLAN",
                                "plan file that auto or anneal goes on from; no worse plan is found");
  start->excludes(policy);
  add_stage_flags(command, flags.stages)->excludes(planner)->excludes(policy)->excludes(start);
  add_search_flags(command, flags.search);
  add_learned_flags(command, flags.learned);
  add_constraint_flags(command, flags.problem.constraints);
  add_what_if_flags(command, flags.problem.changes);
  add_env_flags(command, flags.env);
  add_output_flag(command, flags.output, "write the plan to this file, also if it does not fit in memory");
  add_file_flag(command, "--report", flags.report, "write an HTML report that opens in any browser to this file");
  add_json_flag(command, flags.json);
  command.footer(
      "Example:\n  berth place zoo:nmt-4 --machine k40x4 --budget 10s -o plan.json --report report.html\n"
      "  berth place zoo:gpt2 --machine a100x8 --objective pipeline\n"
      "  berth place zoo:bert-base --machine k40x4 --pin 'module:embedding=gpu0' --keep-together 'encoder.layer.*'\n"
      "  berth place bert.onnx --machine h200 --dim batch=8,seq=128,512 -o plan.json    (two sizes, and a plan for "
      "both)\n"
      "  berth place zoo:nmt-8 --machine k40x8 --planner auto --policy trained    (auto begins with the policy's "
      "plan)\n"
      "  berth place zoo:nmt-4 --machine k40x4 --start plan.json --budget 10min -o better.json    (goes on from it)\n"
      "  berth place zoo:nmt-4 --machine k40x4 --fusion best --schedule search\n"
      "  berth place zoo:nmt-4 --machine k40x4 --placement plan.json --schedule search    (devices stay as they are)\n"
      "  berth place zoo:nmt-4 --machine k40x4 --set 'link.*.bandwidth=2x' --add-device k40    (what if)\n"
      "  berth place rand0000.stg --machine procx8    (a public problem; others bring their machine)\n"
      "  berth place model.onnx --machine h200 --costs cuda.json@h200 --costs cpu.json    (profiles of ONNX Runtime)");
}

}  // namespace berth::app

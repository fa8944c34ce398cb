// SPDX-License-Identifier: Apache-2.0
#include "services/bench/bench.h"

#include "app/flags/learned_flags.h"
#include "app/flags/options.h"
#include "app/learned.h"
#include "app/output/progress.h"
#include "app/output/table.h"
#include "base/text.h"
#include "files/files.h"
#include "files/output_path.h"
#include "services/bench/dataset.h"
#include "services/bench/leaderboard.h"
#include "services/bench/leaderboard_files.h"
#include "services/json/bench_json.h"

namespace berth::app {
namespace {

constexpr std::uint64_t kUsualEvaluations = 1000, kMostSeeds = 1000;

struct BenchFlags {
  SearchFlags search{.budget = ""};
  LearnedFlags learned;
  std::uint64_t seeds = 3;
  std::string suite = suites().front().name;
  std::vector<std::string> rows, planners, plans, policies;
  std::string csv, html, saved_plans, dataset;
  bool list = false, json = false;
};

std::string text_of(const TextTable& cells) {
  Table table = Table::headed(cells.names);
  for (const std::vector<std::string>& line : cells.lines) table.add(line);
  return table.text();
}

std::string leaderboard_page(const BenchAnswer& answer) {
  std::string text = fmt::format("{}\n{}\n{}", bold(headline(answer)), text_of(standings_table(answer)),
                                 text_of(problems_table(answer)));
  const std::vector<std::string> lines = remarks(answer);
  if (!lines.empty()) text += '\n';
  for (const std::string& line : lines) text += clean(line) + '\n';
  return text;
}

std::string suites_table() {
  Table table = Table::headed({"suite", ">problems", ""});
  for (const Suite& suite : suites()) {
    table.add({suite.full_name(), fmt::format("{}", suite.rows.size()), suite.summary});
  }
  return table.text();
}

std::string suite_table(const std::vector<BenchRow>& rows) {
  Table table =
      Table::headed({"problem", ">ops", ">edges", ">devices", ">optimum", ">lower bound", "graph and machine"});
  for (const BenchRow& row : rows) {
    const SuiteRow& problem = row.problem;
    const std::string machine = problem.machine.empty() ? "" : fmt::format(" -m {}", problem.machine);
    const std::string setting = problem.setting.empty() ? "" : fmt::format(" --set {}", problem.setting);
    table.add({problem.name, group_digits(row.ops), group_digits(row.edges), fmt::format("{}", row.devices),
               problem.optimum ? format_time(*problem.optimum) : "-", format_time(row.lower_bound),
               problem.graph + machine + setting});
  }
  return table.text();
}

Result<Exit> list_suite(const BenchFlags& flags, const Suite& suite) {
  TerminalCaller caller(false);
  BERTH_TRY(const std::vector<BenchRow> rows, look_at_suite(suite, caller));
  if (flags.json) return printed(suite_json(suite, rows));
  return printed(
      fmt::format("{}\n{}: {}\n{}", suites_table(), bold(suite.full_name()), suite.summary, suite_table(rows)));
}

Result<Exit> write_dataset(const BenchFlags& flags, const Suite& suite) {
  TerminalCaller caller(!flags.search.quiet);
  BERTH_TRY(const std::vector<BenchRow> rows, export_suite(suite, flags.dataset, caller));
  const std::string stopped = rows.size() < suite.rows.size() ? "interrupted: " : "";
  if (flags.json) return printed(suite_json(suite, rows));
  return printed(fmt::format("{}{} of {} written to {}\n", stopped, counted(rows.size(), "problem"), suite.full_name(),
                             clean(flags.dataset)));
}

// Learned planners and policies first: another program may have to take over before anything is read.
Result<std::vector<Contestant>> contestants_of(const BenchFlags& flags) {
  std::vector<Contestant> contestants;
  BERTH_TRY(const std::vector<ChosenPlanner> planners,
            planner_catalog().find_all(
                flags.planners.empty() ? "single,expert,heft,anneal,auto" : join(flags.planners, ","), flags.learned));
  for (const ChosenPlanner& planner : planners) contestants.push_back({.name = planner.name, .planner = planner});
  for (const std::string& text : flags.policies) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) return bad_input("--policy '{}': write NAME=RUN", text);
    const LearnedFlags learned{.policy_device = flags.learned.policy_device};  // the others say how to learn
    BERTH_TRY(ChosenPlanner policy, choose_trained({.run = text.substr(equals + 1), .zero_shot = true}, learned));
    contestants.push_back({.name = text.substr(0, equals), .planner = std::move(policy)});
  }
  for (const std::string& text : flags.plans) {
    BERTH_TRY(Contestant contestant, parse_plans(text));
    contestants.push_back(std::move(contestant));
  }
  return contestants;
}

// What the table was made by, without what does not change it.
std::string command_of(const BenchFlags& flags, const std::vector<Contestant>& contestants) {
  std::vector<std::string> names;
  for (const Contestant& contestant : contestants) names.push_back(contestant.name);
  const std::string limit = flags.search.budget.empty() ? fmt::format("--evaluations {}", flags.search.evaluations)
                                                        : fmt::format("--budget {}", flags.search.budget);
  std::string words = fmt::format("berth bench --suite {}", flags.suite);
  for (const std::string& row : flags.rows) words += fmt::format(" --rows {}", row);
  words += fmt::format(" {} --seeds {}", limit, flags.seeds);
  if (flags.search.seed != 1) words += fmt::format(" --seed {}", flags.search.seed);
  return fmt::format("{}: {}", words, join(names, ", "));
}

Status save_files(const BenchFlags& flags, const BenchAnswer& answer) {
  if (!flags.csv.empty()) BERTH_RETURN_IF_ERROR(write_file_atomically(flags.csv, leaderboard_csv(answer)));
  if (!flags.html.empty()) BERTH_RETURN_IF_ERROR(write_file_atomically(flags.html, leaderboard_html(answer)));
  return answer.saved;
}

std::string written_text(const BenchFlags& flags) {
  std::string text;
  const auto add = [&](const char* what, const std::string& path) {
    if (!path.empty()) text += fmt::format("{} written to {}\n", what, clean(path));
  };
  add("runs", flags.csv);
  add("leaderboard", flags.html);
  add("plans", flags.saved_plans);
  return text;
}

Result<Exit> hold_contest(BenchFlags flags, Suite suite, std::vector<Contestant> contestants) {
  if (flags.search.budget.empty() && flags.search.evaluations == 0) flags.search.evaluations = kUsualEvaluations;
  BenchRequest request{.suite = std::move(suite),
                       .contestants = std::move(contestants),
                       .seeds = flags.seeds,
                       .plans = flags.saved_plans};
  request.made_by = command_of(flags, request.contestants);
  if (flags.search.budget.empty()) flags.search.budget = "10s";  // does not count
  BERTH_TRY(request.budget, budget_of(flags.search));
  for (const std::string& path : {flags.csv, flags.html}) BERTH_RETURN_IF_ERROR(check_output_path(path));
  TerminalCaller caller(!flags.search.quiet);
  BERTH_TRY(const BenchAnswer answer, bench(request, caller));
  const Status saved = save_files(flags, answer);
  BERTH_RETURN_IF_ERROR(print(flags.json ? bench_json(answer) : leaderboard_page(answer)));
  BERTH_RETURN_IF_ERROR(saved);
  if (!flags.json) BERTH_RETURN_IF_ERROR(print(written_text(flags)));
  if (const auto failure = failure_of(answer)) return *failure;
  return Exit::kDone;
}

Result<Exit> run_bench(const BenchFlags& flags) {
  const bool holds = !flags.list && flags.dataset.empty();
  std::vector<Contestant> contestants;
  if (holds) {
    BERTH_TRY(contestants, contestants_of(flags));
  }
  BERTH_TRY(Suite suite, find_suite(flags.suite));
  BERTH_TRY(suite, with_rows(std::move(suite), flags.rows));
  if (flags.list) return list_suite(flags, suite);
  return holds ? hold_contest(flags, std::move(suite), std::move(contestants)) : write_dataset(flags, suite);
}

void add_budget_flags(CLI::App& command, BenchFlags& flags) {
  CLI::Option* evaluations = add_number(command, "--evaluations", flags.search.evaluations, {.low = 1},
                                        "number of plans that every run may simulate")
                                 ->default_str("1000");
  add_text(command, "--budget", flags.search.budget, "TIME", "instead: time for every run, for example 2s or 1min")
      ->excludes(evaluations);
  add_number(command, "--seeds", flags.seeds, {1, kMostSeeds},
             "runs on each problem, of planners that use chance; the table shows their median and range")
      ->default_str("3");
  add_number(command, "--seed", flags.search.seed, {.low = 1}, "the first of these seeds")->default_str("1");
  add_work_flags(command, flags.search);
}

}  // namespace

void add_bench_command(CLI::App& app, Exit& exit) {
  auto [command, flags] = add_command<BenchFlags>(
      app, exit, "bench", "a leaderboard: planners and plans on a suite of problems, with equal budgets", run_bench);
  command.add_option("--suite", flags.suite, "which problems: quick, papers, zoo, exact, all")->capture_default_str();
  add_texts(command, "--rows", flags.rows, "TEXT", "only problems with this in their name; may be repeated");
  add_texts(command, "-p,--planners", flags.planners, "LIST",
            "a,b,c or all, classical, learned; may be repeated (berth planners)")
      ->default_str("single,expert,heft,anneal,auto");
  add_texts(command, "--plan", flags.plans, "NAME=FOLDER",
            "also plans made elsewhere: FOLDER/ROW.json for every problem, or a pattern of files as in "
            "mine=plans/{row}.{seed}.csv; any format that berth score reads; may be repeated");
  add_texts(command, "--policy", flags.policies, "NAME=RUN",
            "also a trained policy, by what it proposes alone: the folder of a run (berth train), or default; may be "
            "repeated");
  add_budget_flags(command, flags);
  add_learned_flags(command, flags.learned);
  add_file_flag(command, "--csv", flags.csv, "write a line for every run to this file");
  add_file_flag(command, "--html", flags.html, "write the leaderboard as a page to this file");
  add_text(command, "--save-plans", flags.saved_plans, "FOLDER",
           "keep the plan of every run, as FOLDER/PLANNER/ROW.SEED.json");
  command.add_flag("--list", flags.list, "list the suites, and the problems of one with what is known of them");
  add_text(command, "--export", flags.dataset, "FOLDER",
           "write the problems as arrays for NumPy instead, ROW.npz (berth help formats)");
  add_json_flag(command, flags.json);
  command.footer(
      "Example:\n  berth bench --planners auto,anneal --html leaderboard.html\n"
      "  berth bench --suite exact --budget 1s --plan mine=plans --csv runs.csv\n"
      "  berth bench --suite zoo --export dataset");
}

}  // namespace berth::app

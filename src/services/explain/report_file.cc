// SPDX-License-Identifier: Apache-2.0
#include "services/explain/report_file.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "files/files.h"
#include "files/output_path.h"
#include "report/page.h"
#include "report/report.h"
#include "services/plan/plan_files.h"
#include "services/plan/run_planner.h"
#include "services/plan/single_device.h"

namespace berth {
namespace {

report::Yardstick yardstick(std::string name, const Outcome& outcome) {
  return {std::move(name), outcome.note, outcome.value_s()};
}

report::ReportedPlan reported(const Outcome& outcome) {
  const bool searched = outcome.search_s > 0.0;
  return {outcome.planner,        outcome.note,        outcome.plan,
          outcome.lower_bound,    outcome.search_s,    searched ? outcome.evaluations : 0,
          outcome.seed,           outcome.convergence, outcome.interrupted,
          bound_sentence(outcome)};
}

}  // namespace

Status check_reportable() {
  if (!report::page().html.empty()) return {};
  return bad_input("this build has no HTML report; build it with -DBERTH_REPORT=ON");
}

Status check_report_path(const std::string& path, std::span<const std::string> sources) {
  const std::filesystem::path name(path);
  std::string extension = name.extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension.empty() || extension == ".html" || extension == ".htm") return check_output_path(path, sources);
  return bad_input("'{}': a report is an HTML page; write '{}', which a browser prints or saves as PDF", path,
                   std::filesystem::path(name).replace_extension(".html").string());
}

Status save_report(const std::string& path, const Problem& problem, const std::vector<Outcome>& outcomes,
                   const std::optional<Outcome>& single, std::string version) {
  report::ReportContent content{problem, {}, {}, std::move(version)};
  for (const Outcome& outcome : outcomes) content.plans.push_back(reported(outcome));
  if (single && !single->error) content.yardsticks.push_back(yardstick("best single device", *single));
  Caller nobody;
  const ChosenPlanner rule = chosen(*find_classical_planner("expert"));
  const Outcome expert = run_planner(problem, rule, {.evaluations = 10}, outcomes.front().lower_bound, nobody);
  if (!expert.error) content.yardsticks.push_back(yardstick("human expert's rule", expert));
  BERTH_TRY(const std::string html, report::html_report(content));
  return write_file_atomically(path, html);
}

Result<std::uintmax_t> write_report(const ReportRequest& request, Caller& caller) {
  BERTH_TRY(const LoadedProblem loaded, load_problem(request.problem, caller));
  BERTH_RETURN_IF_ERROR(check_reportable());
  std::vector<Outcome> outcomes;
  for (const std::string& path : request.plans) {
    const std::string name = std::filesystem::path(path).filename().string();
    BERTH_TRY(Outcome outcome, score_plan_file(path, name, request.problem, loaded.problem));
    outcomes.push_back(std::move(outcome));
  }
  const std::optional<Outcome> single = run_single(loaded.problem, outcomes.front().lower_bound, caller);
  BERTH_RETURN_IF_ERROR(save_report(request.output, loaded.problem, outcomes, single, request.version));
  std::error_code ignored;
  return std::filesystem::file_size(request.output, ignored);
}

}  // namespace berth

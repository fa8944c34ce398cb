// SPDX-License-Identifier: Apache-2.0
#include "services/bench/leaderboard_files.h"

#include <algorithm>

#include "base/text.h"
#include "files/quoting.h"
#include "services/bench/leaderboard.h"
#include "services/words.h"

namespace berth {
namespace {

std::string csv_time(std::optional<Picoseconds> time) { return time ? fmt::format("{}", to_seconds(*time)) : ""; }

void add_csv_lines(const BenchAnswer& answer, const BenchRow& row, std::string& text) {
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    for (const BenchRun& run : row.cells[i].runs) {
      const bool fits = run.state == RunState::kFits;
      text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", answer.suite, csv_cell(row.problem.name),
                          csv_cell(answer.contestants[i]), run.seed > 0 ? fmt::format("{}", run.seed) : "",
                          name_of(run.state), csv_time(fits ? std::optional(run.step_time) : std::nullopt),
                          csv_time(row.lower_bound), csv_time(row.problem.optimum), run.evaluations, run.search_s,
                          run.late ? "late" : "", csv_cell(run.note));
    }
  }
}

constexpr const char* kPageStyle = R"(
:root{color-scheme:light dark;--page:#f6f6f3;--surface:#fff;--text:#1b1f24;--muted:#626a74;--line:#e4e4df;--alarm:#c4262e;
--best:#1d7a4c;--heat:196 120 20;--bar:#2f5f9e}
@media (prefers-color-scheme:dark){:root{--page:#101317;--surface:#181c22;--text:#e8eaed;--muted:#9aa3ae;--line:#2a3039;
--alarm:#ff7b7f;--best:#62c795;--heat:240 160 60;--bar:#8ab4e8}}
*{box-sizing:border-box}
body{margin:0;padding:24px;background:var(--page);color:var(--text);font:14px/1.45 system-ui,sans-serif}
main{max-width:1400px;margin:auto}
h1{font-size:22px;margin:0 0 4px}h2{font-size:16px;margin:28px 0 8px}
p{margin:4px 0;color:var(--muted);max-width:100ch}code{font:13px ui-monospace,monospace;color:var(--text)}
.wide{overflow-x:auto;background:var(--surface);border:1px solid var(--line);border-radius:8px}
table{border-collapse:collapse;width:100%}
th,td{padding:7px 12px;text-align:right;white-space:nowrap;border-bottom:1px solid var(--line);
font-variant-numeric:tabular-nums;vertical-align:top}
tr:last-child td{border-bottom:0}
th{font-weight:600;color:var(--muted)}th:first-child,td:first-child{text-align:left}
td:first-child{position:sticky;left:0;background:var(--surface);white-space:normal;min-width:130px;overflow-wrap:anywhere}
.name{font-weight:600}small{display:block;color:var(--muted);font-size:12px}.left{text-align:left}
.best{color:var(--best);font-weight:600}.alarm{color:var(--alarm)}.muted{color:var(--muted)}
.bar{display:inline-block;width:90px;height:8px;margin-left:8px;border-radius:4px;background:var(--line);overflow:hidden}
.bar i{display:block;height:100%;background:var(--bar)}
ul{margin:0;padding:12px 12px 12px 30px;color:var(--muted)}
@media print{body{background:#fff}}
)";

std::string in_tag(std::string_view tag, const std::string& inside, std::string_view kind = "") {
  if (kind.empty()) return fmt::format("<{0}>{1}</{0}>", tag, inside);
  return fmt::format("<{0} class=\"{2}\">{1}</{0}>", tag, inside, kind);
}

std::string small(const std::string& words) { return words.empty() ? "" : in_tag("small", markup_text(words)); }

// How much of the way to the best one is: a full bar for who is best everywhere.
std::string bar_of(const Standing& standing) {
  if (standing.has == 0) return "";
  return fmt::format("<span class=\"bar\"><i style=\"width:{:.0f}%\"></i></span>", 100.0 / standing.to_best);
}

std::string standing_line(const BenchAnswer& answer, const Standing& standing, std::size_t rank) {
  const std::size_t all = standing.has + standing.lacks;
  std::string runs =
      standing.failed_runs > 0 ? in_tag("span", fmt::format("{} failed", standing.failed_runs), "alarm") : "";
  if (standing.late_runs > 0) runs += fmt::format("{}{} late", runs.empty() ? "" : ", ", standing.late_runs);
  const bool lags = standing.worst_to_best > kAsGoodAsBest;
  const std::string worst =
      lags ? ratio_words(standing.worst_to_best) + small(answer.rows[*standing.worst].problem.name) : "-";
  return in_tag(
      "tr",
      in_tag("td", in_tag("span", fmt::format("{}. {}", rank, markup_text(answer.contestants[standing.contestant])),
                          "name")) +
          in_tag("td", fmt::format("{} of {}", standing.has, all), standing.lacks > 0 ? "alarm" : "") +
          in_tag("td", ratio_words(standing.to_known)) +
          in_tag("td", ratio_words(standing.to_best) + bar_of(standing)) +
          in_tag("td", fmt::format("{}", standing.best_on)) +
          in_tag("td", fmt::format("{} of {}", standing.optimal_on, standing.optima)) + in_tag("td", worst) +
          in_tag("td", standing.evaluations > 0 ? group_digits(standing.evaluations) : "-") +
          in_tag("td", standing.evaluations > 0 ? format_seconds(standing.search_s) : "-") +
          in_tag("td", runs.empty() ? "-" : runs, "left"));
}

std::string standings_html(const BenchAnswer& answer) {
  std::string lines = in_tag("tr",
                             "<th>planner</th><th>has</th><th>to optimum or bound</th><th>to best</th><th>best on</th>"
                             "<th>optimal on</th><th>farthest behind</th><th>evaluations</th><th>search</th>"
                             "<th class=\"left\">runs</th>");
  std::size_t rank = 0;
  for (const Standing& standing : standings(answer)) lines += standing_line(answer, standing, ++rank);
  return in_tag("div", in_tag("table", lines), "wide");
}

// The farther behind the best, the warmer.
std::string heat_of(double to_best) {
  const double share = std::clamp((to_best - 1.0) / 0.5, 0.0, 1.0);
  return share < 0.01 ? "" : fmt::format(" style=\"background:rgb(var(--heat) / {:.0f}%)\"", 8.0 + 30.0 * share);
}

std::string cell_html(const BenchRow& row, std::size_t contestant) {
  const CellWords words = words_about(row, contestant);
  const std::string_view tone = row.cells[contestant].is_complete() ? "alarm" : "muted";
  const std::string failures = words.failures.empty() ? "" : in_tag("span", markup_text(words.failures), tone);
  if (words.time.empty()) return in_tag("td", failures);
  const double to_best = static_cast<double>(*row.cells[contestant].median()) / static_cast<double>(*row.best());
  const bool is_best = to_best <= kAsGoodAsBest;
  return fmt::format(
      "<td{}>{}{}{}</td>", heat_of(to_best), in_tag("span", markup_text(words.time), is_best ? "best" : ""),
      small(is_best ? words.gap : fmt::format("{}, {} to best", words.gap, ratio_words(to_best))), failures);
}

std::string problem_line(const BenchRow& row, const std::vector<Standing>& order) {
  const SuiteRow& problem = row.problem;
  const std::string where =
      problem.machine.empty() ? problem.graph : fmt::format("{} on {}", problem.graph, problem.machine);
  const std::string setting = problem.setting.empty() ? "" : fmt::format(", {}", problem.setting);
  std::string line =
      in_tag("td", in_tag("span", markup_text(problem.name), "name") + small(where + setting) + small(problem.why));
  if (row.ops == 0) {
    line += "<td>-</td><td>-</td>";
  } else {
    line += in_tag("td", group_digits(row.ops) + small(counted(row.devices, "device")));
    line += in_tag("td", format_time(row.known()) + small(problem.optimum ? "optimum" : "lower bound"));
  }
  for (const Standing& standing : order) line += cell_html(row, standing.contestant);
  return in_tag("tr", line);
}

std::string problems_html(const BenchAnswer& answer) {
  const std::vector<Standing> order = standings(answer);
  std::string head = "<th>problem</th><th>ops</th><th>known</th>";
  for (const Standing& standing : order) head += in_tag("th", markup_text(answer.contestants[standing.contestant]));
  std::string lines = in_tag("tr", head);
  for (const BenchRow& row : answer.rows) lines += problem_line(row, order);
  return in_tag("div", in_tag("table", lines), "wide");
}

std::string remarks_html(const BenchAnswer& answer) {
  std::string lines;
  for (const std::string& line : remarks(answer)) lines += in_tag("li", markup_text(line));
  return lines.empty() ? "" : in_tag("h2", "Remarks") + in_tag("div", in_tag("ul", lines), "wide");
}

constexpr const char* kHowToRead =
    "<p>Times are of one step, by one exact simulator: the median of the seeds, with [the least-the most] of them. A "
    "run "
    "without a plan that fits counts as longest. Means are geometric, over the problems that a planner has; who has "
    "more "
    "stands first. The optimum is proved where it is shown; no plan can be faster than the lower bound.</p>";

}  // namespace

std::string leaderboard_csv(const BenchAnswer& answer) {
  std::string text =
      "suite,problem,planner,seed,state,step_time_s,lower_bound_s,optimum_s,evaluations,search_s,late,note\n";
  for (const BenchRow& row : answer.rows) add_csv_lines(answer, row, text);
  return text;
}

std::string leaderboard_html(const BenchAnswer& answer) {
  const std::string made_by =
      answer.made_by.empty() ? "" : in_tag("p", fmt::format("made by {}", in_tag("code", markup_text(answer.made_by))));
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>Leaderboard {0}</title>"
      "<style>{1}</style></head><body><main>\n<h1>Leaderboard {0}</h1>\n<p>{2}</p>{3}\n<h2>Standings</h2>\n{4}\n"
      "<h2>Problems</h2>\n{5}\n{6}\n{7}\n</main></body></html>\n",
      markup_text(answer.suite), kPageStyle, markup_text(headline(answer)), made_by, standings_html(answer),
      problems_html(answer), remarks_html(answer), kHowToRead);
}

}  // namespace berth

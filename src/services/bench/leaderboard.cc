// SPDX-License-Identifier: Apache-2.0
#include "services/bench/leaderboard.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "services/words.h"

namespace berth {
namespace {

template <typename Number>
Number middle_of(std::vector<Number> numbers) {
  if (numbers.empty()) return {};
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::ranges::nth_element(numbers, middle);
  return *middle;
}

// Geometric, of numbers that come one by one.
class Mean {
 public:
  void add(double ratio) { logs_ += std::log(ratio), ++count_; }
  [[nodiscard]] double value() const { return count_ > 0 ? std::exp(logs_ / static_cast<double>(count_)) : 0.0; }

 private:
  double logs_ = 0.0;
  std::size_t count_ = 0;
};

double over(Picoseconds time, Picoseconds base) {
  return static_cast<double>(time) / static_cast<double>(std::max<Picoseconds>(base, 1));
}

void add_to(Standing& standing, const BenchRow& row, std::size_t index, Picoseconds median) {
  const Picoseconds best = *row.best();
  const double to_best = over(median, best);
  ++standing.has;
  standing.best_on += to_best <= kAsGoodAsBest ? 1 : 0;
  standing.optimal_on += row.problem.optimum && median <= *row.problem.optimum ? 1 : 0;
  if (to_best > standing.worst_to_best) standing.worst = index, standing.worst_to_best = to_best;
}

Standing standing_of(const BenchAnswer& answer, std::size_t contestant) {
  Standing standing{.contestant = contestant};
  Mean to_known, to_best;
  std::vector<std::uint64_t> evaluations;
  std::vector<double> search_s;
  for (std::size_t index = 0; index < answer.rows.size(); ++index) {
    const BenchRow& row = answer.rows[index];
    if (!row.is_complete()) continue;
    const BenchCell& cell = row.cells[contestant];
    standing.optima += row.problem.optimum ? 1 : 0;
    standing.failed_runs += cell.runs.size() - cell.fitting();
    for (const BenchRun& run : cell.runs) {
      evaluations.push_back(run.evaluations);
      search_s.push_back(run.search_s);
      standing.late_runs += run.late ? 1 : 0;
    }
    const std::optional<Picoseconds> median = cell.median();
    standing.lacks += median ? 0 : 1;
    if (!median) continue;
    to_known.add(over(*median, row.known()));
    to_best.add(over(*median, *row.best()));
    add_to(standing, row, index, *median);
  }
  standing.to_known = to_known.value();
  standing.to_best = to_best.value();
  standing.evaluations = middle_of(std::move(evaluations));
  standing.search_s = middle_of(std::move(search_s));
  return standing;
}

// "[1.70-1.82]", without the unit where it is that of the median; empty if all say the same.
std::string span_text(const BenchCell& cell, const std::string& median) {
  const std::string least = format_time(cell.least()), most = format_time(cell.most());
  if (least == most) return "";
  const std::string unit = median.substr(median.find(' '));
  if (!least.ends_with(unit) || !most.ends_with(unit)) return fmt::format(" [{}-{}]", least, most);
  return fmt::format(" [{}-{}]", least.substr(0, least.find(' ')), most.substr(0, most.find(' ')));
}

// "1 OOM, 2 no plan": runs without a time.
std::string failures_text(const BenchCell& cell) {
  std::map<RunState, std::size_t> counts;
  for (const BenchRun& run : cell.runs) counts[run.state] += 1;
  std::vector<std::string> words;
  for (const auto& [state, count] : counts) {
    if (state == RunState::kFits) continue;
    const bool is_all = count == cell.runs.size();
    words.push_back(is_all ? std::string(name_of(state)) : fmt::format("{} {}", count, name_of(state)));
  }
  return join(words, ", ");
}

std::string known_text(const BenchRow& row) {
  if (row.ops == 0) return "";
  return fmt::format("{} {}", row.problem.optimum ? "optimum" : "bound", format_time(row.known()));
}

std::string share_text(std::size_t count, std::size_t all) { return fmt::format("{} of {}", count, all); }

std::string worst_text(const BenchAnswer& answer, const Standing& standing) {
  if (!standing.worst || standing.worst_to_best <= kAsGoodAsBest) return "-";
  return fmt::format("{} {}", ratio_words(standing.worst_to_best), answer.rows[*standing.worst].problem.name);
}

std::string failed_text(const Standing& standing) {
  std::vector<std::string> words;
  if (standing.failed_runs > 0) words.push_back(fmt::format("{} failed", standing.failed_runs));
  if (standing.late_runs > 0) words.push_back(fmt::format("{} late", standing.late_runs));
  return words.empty() ? "-" : join(words, ", ");
}

// Why runs have no time, each reason once for a contestant on a problem.
void add_failures(const BenchAnswer& answer, const BenchRow& row, std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    std::vector<std::string> said;
    for (const BenchRun& run : row.cells[i].runs) {
      const bool failed = run.state == RunState::kNoPlan || run.state == RunState::kOutOfMemory;
      if (!failed || std::ranges::find(said, run.note) != said.end()) continue;
      said.push_back(run.note);
      const std::string seed = run.seed > 0 ? fmt::format(", seed {}", run.seed) : "";
      lines.push_back(fmt::format("{} on {}{}: {}", answer.contestants[i], row.problem.name, seed, run.note));
    }
  }
}

}  // namespace

std::vector<Standing> standings(const BenchAnswer& answer) {
  std::vector<Standing> all;
  for (std::size_t i = 0; i < answer.contestants.size(); ++i) all.push_back(standing_of(answer, i));
  std::ranges::stable_sort(
      all, [](const Standing& a, const Standing& b) { return a.has != b.has ? a.has > b.has : a.to_best < b.to_best; });
  return all;
}

std::string ratio_words(double ratio) {
  if (ratio <= 0.0) return "-";
  return ratio < 100.0 ? fmt::format("{:.2f}x", ratio) : fmt::format("{:.0f}x", ratio);
}

CellWords words_about(const BenchRow& row, std::size_t contestant) {
  const BenchCell& cell = row.cells[contestant];
  CellWords words;
  words.failures = failures_text(cell);
  const std::optional<Picoseconds> median = cell.median();
  if (!median) return words;
  const std::string time = format_time(*median);
  words.time = time + span_text(cell, time);
  words.gap = *median <= row.known() ? "optimal" : fmt::format("+{}", gap_text(*median, row.known()));
  return words;
}

std::string headline(const BenchAnswer& answer) {
  const Budget& budget = answer.budget;
  const std::string limit =
      budget.evaluations > 0 ? fmt::format("{} evaluations", group_digits(budget.evaluations))
                             : fmt::format("{}, {}", format_seconds(budget.time_s), counted(budget.threads, "thread"));
  return fmt::format("{}: {}, {} a run, {}{}", answer.suite, counted(answer.rows.size(), "problem"), limit,
                     answer.seeds == 1 ? fmt::format("seed {}", budget.seed)
                                       : fmt::format("seeds {} to {}", budget.seed, budget.seed + answer.seeds - 1),
                     answer.interrupted() ? ", interrupted" : "");
}

TextTable standings_table(const BenchAnswer& answer) {
  TextTable table{{"planner", ">has", ">to optimum or bound", ">to best", ">best on", ">optimal on", "farthest behind",
                   ">evaluations", ">search", "runs"}};
  for (const Standing& standing : standings(answer)) {
    const std::size_t all = standing.has + standing.lacks;
    table.lines.push_back({answer.contestants[standing.contestant], share_text(standing.has, all),
                           ratio_words(standing.to_known), ratio_words(standing.to_best),
                           fmt::format("{}", standing.best_on), share_text(standing.optimal_on, standing.optima),
                           worst_text(answer, standing),
                           standing.evaluations > 0 ? group_digits(standing.evaluations) : "-",
                           standing.evaluations > 0 ? format_seconds(standing.search_s) : "-", failed_text(standing)});
  }
  return table;
}

TextTable problems_table(const BenchAnswer& answer) {
  TextTable table{{"problem", ">ops", ">known"}};
  const std::vector<Standing> order = standings(answer);
  for (const Standing& standing : order) table.names.push_back(">" + answer.contestants[standing.contestant]);
  for (const BenchRow& row : answer.rows) {
    std::vector<std::string>& line = table.lines.emplace_back();
    line = {row.problem.name, row.ops > 0 ? group_digits(row.ops) : "", known_text(row)};
    for (const Standing& standing : order) {
      const CellWords words = words_about(row, standing.contestant);
      std::vector<std::string> said;
      for (const std::string* part : {&words.time, &words.gap, &words.failures}) {
        if (!part->empty()) said.push_back(*part);
      }
      line.push_back(join(said, ", "));
    }
  }
  return table;
}

std::vector<std::string> remarks(const BenchAnswer& answer) {
  std::vector<std::string> lines;
  if (answer.interrupted()) {
    const auto complete = std::ranges::count_if(answer.rows, &BenchRow::is_complete);
    lines.push_back(
        fmt::format("interrupted: {} of {} runs are done; the means are over the {} of {} problems that all have run",
                    answer.runs_done, answer.runs, complete, answer.rows.size()));
  }
  for (const BenchRow& row : answer.rows) add_failures(answer, row, lines);
  return lines;
}

}  // namespace berth

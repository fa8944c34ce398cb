// SPDX-License-Identifier: Apache-2.0
#include "app/sweep_rows.h"

#include <algorithm>

#include "app/output.h"
#include "base/text.h"

namespace berth::app {
namespace {

using RowPlace = std::vector<SweepRow>::const_iterator;

RowPlace best_of(const Sweep& sweep, const std::vector<SweepRow>& rows) {
  return std::ranges::max_element(rows, {}, [&](const SweepRow& row) { return rate(sweep, row); });
}

// "2, 4" or, of many, "2, ..., 64": a line has no room for a hundred.
std::string listed(const std::vector<std::string>& values) {
  constexpr std::size_t kFew = 4;
  if (values.size() <= kFew) return join(values, ", ");
  return fmt::format("{}, ..., {}", values.front(), values.back());
}

}  // namespace

double rate(const Sweep& sweep, const SweepRow& row) {
  const double step_s = to_seconds(row.outcome.score.step_time);
  return row.outcome.feasible() && step_s > 0.0 ? sweep.weight(row.value) / step_s : 0.0;
}

std::string rate_name(const Sweep& sweep) { return sweep.name == "batch" ? "samples per second" : "steps per second"; }

std::string why_none(const SweepRow& row) {
  if (row.outcome.interrupted) return "cut short";
  return row.outcome.error ? "no plan" : "OOM";
}

std::vector<std::string> values_cut_short(const std::vector<SweepRow>& rows) {
  std::vector<std::string> values;
  for (const SweepRow& row : rows) {
    if (row.outcome.interrupted) values.push_back(row.value);
  }
  return values;
}

std::vector<std::string> values_not_run(const Sweep& sweep, const std::vector<SweepRow>& rows) {
  return {sweep.values.begin() + static_cast<std::ptrdiff_t>(rows.size()), sweep.values.end()};
}

bool is_interrupted(const Sweep& sweep, const std::vector<SweepRow>& rows) {
  return !values_cut_short(rows).empty() || !values_not_run(sweep, rows).empty();
}

std::optional<RowPlace> enough_of(const Sweep& sweep, const std::vector<SweepRow>& rows) {
  constexpr double kLittle = 0.05;
  const double most = rate(sweep, *best_of(sweep, rows));
  if (is_interrupted(sweep, rows) || most <= 0.0) return std::nullopt;
  return std::ranges::find_if(rows, [&](const SweepRow& row) { return rate(sweep, row) * (1.0 + kLittle) >= most; });
}

std::optional<std::string> verdict(const Sweep& sweep, const std::vector<SweepRow>& rows) {
  if (is_interrupted(sweep, rows)) return std::nullopt;
  const auto enough = enough_of(sweep, rows);
  if (!enough) return "no value gives a plan that fits in memory";
  const auto best = best_of(sweep, rows);
  if (*enough == best && best == rows.begin()) {
    return fmt::format("{} = {} is best: nothing beyond it pays", sweep.name, best->value);
  }
  if (*enough == best) {
    return fmt::format("{} = {} is best, and nothing before it comes within 5 %", sweep.name, best->value);
  }
  return fmt::format("beyond {} = {} little is gained: the most {}, at {}, are only {} more", sweep.name,
                     (*enough)->value, rate_name(sweep), best->value,
                     percent(rate(sweep, *best) / rate(sweep, **enough) - 1.0));
}

std::string ending(const Sweep& sweep, const std::vector<SweepRow>& rows) {
  if (const auto words = verdict(sweep, rows)) return *words;
  std::vector<std::string> parts;
  const auto add = [&](const std::vector<std::string>& values, const char* what) {
    if (!values.empty()) parts.push_back(fmt::format("{} = {} {}", sweep.name, listed(values), what));
  };
  add(values_cut_short(rows), "cut short");
  add(values_not_run(sweep, rows), "not run");
  return fmt::format("interrupted: {}; where more stops paying is not known", join(parts, "; "));
}

}  // namespace berth::app

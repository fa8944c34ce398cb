// SPDX-License-Identifier: Apache-2.0
#include "services/compare/sweep.h"

#include <algorithm>
#include <charconv>
#include <span>

#include "base/text.h"
#include "files/files.h"
#include "problem/what_if/machine_changes.h"
#include "problem/what_if/machine_settings.h"
#include "report/plot.h"
#include "services/plan/run_planner.h"
#include "services/problem/dims.h"
#include "services/words.h"
#include "sim/bounds/bounds.h"

namespace berth {
namespace {

constexpr std::size_t kMostValues = 100;

Result<int> whole_number(const std::string& name, const std::string& value) {
  int number = 0;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc() || stop != end || number < 1) {
    return bad_input("--over {}: '{}' is not a whole number above 0", name, value);
  }
  return number;
}

SweptThing thing_named(std::string_view name) {
  if (name == "devices") return SweptThing::kDevices;
  if (name.find('.') != std::string_view::npos) return SweptThing::kFigure;
  return name == "batch" ? SweptThing::kBatch : SweptThing::kSize;
}

// "zoo:nmt-4,batch=128,unroll=40" with another batch.
std::string with_parameter(const std::string& graph, const std::string& name, const std::string& value) {
  std::string result;
  for (const std::string_view part : split(graph, ',')) {
    if (part.starts_with(name + "=")) continue;
    result += fmt::format("{}{}", result.empty() ? "" : ",", part);
  }
  return fmt::format("{},{}={}", result, name, value);
}

// The graph has no such parameter; perhaps a figure of the machine is meant, whose name has a dot, or its devices.
Error with_what_is_meant(const Sweep& sweep, Error error) {
  constexpr std::string_view kDevices = "devices";
  const std::string meant =
      edit_distance(sweep.name, kDevices) == 1 ? std::string(kDevices) : setting_meant_by(sweep.name);
  if (!meant.empty()) error.message += fmt::format("; of the machine, there is --over {}", meant);
  return error;
}

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

report::Plot::Point plot_point(const Sweep& sweep, const SweepRow& row) {
  report::Plot::Point point{row.value, std::nullopt, std::nullopt, row.outcome.interrupted ? "cut short" : ""};
  if (row.outcome.feasible()) {
    point.rate = rate(sweep, row);
  } else {
    point.note = why_none(row);
  }
  const double bound_s = to_seconds(row.outcome.lower_bound);
  if (bound_s > 0.0) point.bound = sweep.weight(row.value) / bound_s;
  return point;
}

}  // namespace

double Sweep::weight(const std::string& value) const {
  if (thing != SweptThing::kBatch) return 1.0;
  double number = 1.0;
  std::from_chars(value.data(), value.data() + value.size(), number);
  return number;
}

Result<Sweep> parse_sweep(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    return bad_input("--over '{}': write NAME=A,B,C, for example devices=1,2,4", text);
  }
  const std::string name(trim(text.substr(0, equals)));
  Sweep sweep{name, {}, thing_named(name)};
  for (const std::string_view value : split(std::string_view(text).substr(equals + 1), ',')) {
    if (trim(value).empty()) return bad_input("--over '{}': a value is empty", text);
    sweep.values.emplace_back(trim(value));
  }
  if (sweep.values.size() > kMostValues)
    return bad_input("--over has {} values; {} are the most", sweep.values.size(), kMostValues);
  return sweep;
}

Result<ProblemRequest> request_at(const ProblemRequest& request, const Sweep& sweep, const std::string& value) {
  ProblemRequest point = request;
  if (sweep.thing == SweptThing::kDevices) {
    BERTH_TRY(point.changes.accelerators, whole_number(sweep.name, value));
  } else if (sweep.thing == SweptThing::kFigure) {
    point.changes.settings.push_back(fmt::format("{}={}", sweep.name, value));
  } else if (request.graph.starts_with("zoo:")) {
    point.graph = with_parameter(request.graph, sweep.name, value);
  } else {
    const std::string dim = fmt::format("{}={}", sweep.name, value);
    BERTH_TRY(const DimSizes sizes, read_dims(std::span(&dim, 1)));
    for (const auto& [name, size] : sizes) {
      if (!point.import.dims.emplace(name, size).second) {
        return bad_input("--dim: '{}' is given twice; give its sizes as one list, {}=128,512", name, name);
      }
    }
  }
  return point;
}

Result<std::vector<SweepRow>> run_sweep(const ProblemRequest& request, const Sweep& sweep, const ChosenPlanner& planner,
                                        const Budget& budget, Caller& caller, const SweepListener& listener) {
  caller.work_begins();
  std::vector<SweepRow> rows;
  for (const std::string& value : sweep.values) {
    if (caller.wants_to_stop()) break;
    BERTH_TRY(const ProblemRequest point, request_at(request, sweep, value));
    const Result<LoadedProblem> loaded = load_problem(point, caller);
    if (!loaded) {
      return within(fmt::format("{} = {}", sweep.name, value), with_what_is_meant(sweep, loaded.error()));
    }
    const Problem& problem = loaded->problem;
    BERTH_RETURN_IF_ERROR(check_can_simulate(budget, problem));
    rows.push_back({value, run_planner(problem, planner, budget, lower_bound(problem).value(), caller)});
    listener(rows.back(), *loaded);
  }
  return rows;
}

double rate(const Sweep& sweep, const SweepRow& row) {
  const double step_s = to_seconds(row.outcome.score.step_time);
  return row.outcome.feasible() && step_s > 0.0 ? sweep.weight(row.value) / step_s : 0.0;
}

std::string rate_name(const Sweep& sweep) {
  return sweep.thing == SweptThing::kBatch ? "samples per second" : "steps per second";
}

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

Status save_plot(const std::string& path, std::string title, const Sweep& sweep, const std::vector<SweepRow>& rows) {
  report::Plot plot;
  plot.title = std::move(title);
  plot.verdict = ending(sweep, rows);
  plot.x_name = sweep.name;
  plot.y_name = rate_name(sweep);
  for (const SweepRow& row : rows) plot.points.push_back(plot_point(sweep, row));
  for (const std::string& value : values_not_run(sweep, rows)) plot.points.push_back({value, {}, {}, "not run"});
  if (const auto enough = enough_of(sweep, rows)) plot.enough = static_cast<std::size_t>(*enough - rows.begin());
  return write_file_atomically(path, report::svg_of(plot));
}

std::optional<Error> failure_of(const Sweep& sweep, const std::vector<SweepRow>& rows) {
  if (rows.empty()) return infeasible("interrupted before the first plan was found");
  if (std::ranges::any_of(rows, [](const SweepRow& row) { return row.outcome.feasible(); })) return std::nullopt;
  if (is_interrupted(sweep, rows)) return infeasible("interrupted before a plan that fits in memory was found");
  return infeasible("no value of {} gives a plan that fits in memory", sweep.name);
}

}  // namespace berth

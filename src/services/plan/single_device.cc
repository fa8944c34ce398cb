// SPDX-License-Identifier: Apache-2.0
#include "services/plan/single_device.h"

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "services/plan/run_planner.h"
#include "services/words.h"

namespace berth {
namespace {

Picoseconds proved_bound(const Outcome& best, const Outcome& single) {
  return std::max(best.lower_bound, single.lower_bound);
}

std::string in_brackets(const std::string& note) { return note.empty() ? "" : fmt::format(" ({})", note); }

}  // namespace

std::optional<Outcome> run_single(const Problem& problem, const Budget& budget, Picoseconds lower_bound, Judge& judge,
                                  Caller& caller) {
  if (caller.wants_to_stop()) return std::nullopt;
  Silent silent(caller);
  const ChosenPlanner single = chosen(*find_classical_planner(kSinglePlanner));
  return run_planner(problem, single, {.time_s = budget.time_s}, lower_bound, judge, silent);
}

std::optional<Outcome> run_single(const Problem& problem, Picoseconds lower_bound, Caller& caller) {
  const std::unique_ptr<Judge> judge = simulated_judge(problem);
  return run_single(problem, Budget{}, lower_bound, *judge, caller);
}

bool is_whole_single(const Outcome& outcome) {
  const bool is_staged = !outcome.fusion.empty() || !outcome.schedule.empty();
  return outcome.planner == kSinglePlanner && !outcome.cut_short && !is_staged;
}

SingleVerdict judge_single(const Outcome& best, const std::optional<Outcome>& single) {
  if (!single || !single->feasible()) return SingleVerdict::kUnknown;
  if (single->score.step_time <= proved_bound(best, *single)) return SingleVerdict::kBestProved;
  const bool beaten = best.feasible() && best.score.step_time < single->score.step_time;
  const bool seen = best.best_seen && *best.best_seen < single->score.step_time;
  if (beaten || seen) return SingleVerdict::kBeaten;
  return best.searched ? SingleVerdict::kBestFound : SingleVerdict::kUnknown;
}

std::optional<double> ratio_to_single(const Outcome& outcome, const std::optional<Outcome>& single) {
  if (!single || !single->feasible() || !outcome.feasible()) return std::nullopt;
  if (outcome.score.step_time == single->score.step_time) return 1.0;  // also where both take no time
  return to_seconds(outcome.score.step_time) / std::max(to_seconds(single->score.step_time), 1e-12);
}

bool is_slower_than_single(const Outcome& outcome, const std::optional<Outcome>& single) {
  return ratio_to_single(outcome, single).value_or(0.0) > 1.0;
}

std::string ratio_text(double ratio) {
  constexpr double kFactor = 1.005;  // below it a factor would be printed as 1.00x
  if (ratio * kFactor < 1.0) return fmt::format("{:.2f}x as fast", 1.0 / ratio);
  const std::string share = percent(std::abs(1.0 / std::min(ratio, 1.0) - std::max(ratio, 1.0)));
  if (ratio == 1.0 || share == "0.0 %") return "as fast";
  return fmt::format("{} {}", share, ratio < 1.0 ? "faster" : "slower");
}

std::string verdict_text(const Outcome& best, const std::optional<Outcome>& single) {
  const SingleVerdict verdict = judge_single(best, single);
  if (verdict == SingleVerdict::kUnknown || verdict == SingleVerdict::kBeaten) return "";
  const std::string where = in_brackets(single->note);
  if (verdict == SingleVerdict::kBestProved) {
    return fmt::format("no plan can be faster than one device{}: it meets the lower bound", where);
  }
  return fmt::format("nothing faster than one device was found{}; its gap to the lower bound is {}", where,
                     gap_text(single->score.step_time, proved_bound(best, *single)));
}

std::string against_single(const Outcome& outcome, const Outcome& single) {
  if (single.error) return "no single device can run it";
  const bool fits = outcome.score.feasible;
  if (!single.score.feasible)
    return fits ? "the best single device is out of memory" : "neither does one device hold it";
  const std::string time = format_time(single.score.step_time);
  const std::string where = in_brackets(single.note);
  if (!fits) return fmt::format("it does not fit; the best single device does, {}{}", time, where);
  const double ratio = *ratio_to_single(outcome, single);
  if (ratio == 1.0) {
    const std::string verdict = verdict_text(outcome, single);
    if (!verdict.empty()) return verdict;
  }
  const std::string how = ratio_text(ratio);
  const bool is_proved = ratio > 1.0 && judge_single(outcome, single) == SingleVerdict::kBestProved;
  return fmt::format("{} {} the best single device, {}{}{}", how, how.ends_with("as fast") ? "as" : "than", time, where,
                     is_proved ? ", and no plan can be faster than that" : "");
}

}  // namespace berth

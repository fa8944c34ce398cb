// SPDX-License-Identifier: Apache-2.0
// Judge: what plans are judged by (--env): simulations, real runs, or simulations first and real runs of the best.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/compare_planners.h"
#include "app/measuring.h"
#include "app/outcome.h"
#include "measure/measured_evaluator.h"
#include "plan/planner.h"

namespace CLI {
class App;
}

namespace berth::app {

struct EnvFlags {
  std::string env = "simulate";
  std::uint64_t shortlist = 8;
  std::string measurements;  // file for what every run took
  MeasuringFlags measuring;
};
void add_env_flags(CLI::App& command, EnvFlags& flags);

class Judge {
 public:
  // None for simulations alone, which need no judge. Otherwise starts the process that runs plans of `graph`; the
  // problem must outlive the judge.
  static Result<std::optional<Judge>> make(const EnvFlags& flags, const std::string& graph, const Problem& problem);

  // For real runs nothing is proved, and one thread asks at a time.
  [[nodiscard]] Picoseconds lower_bound(Picoseconds simulated) const { return is_measured_ ? 0 : simulated; }
  [[nodiscard]] Budget budget(Budget budget) const;
  [[nodiscard]] bool is_measured() const { return is_measured_; }  // every plan, and not only the best
  // Evaluators for one search; call it once per search.
  EvaluatorMaker evaluators();
  // What the planner's plan is worth, or, after simulations, the best of the shortlist, by a run that was not part of
  // the search.
  void settle(Outcome& outcome);

 private:
  Judge(const Problem& problem, bool is_measured, std::size_t shortlist, std::shared_ptr<MeasuredScores> scores);
  bool run_shortlist(Outcome& outcome);

  const Problem* problem_;
  bool is_measured_;
  std::size_t shortlist_size_;
  std::shared_ptr<MeasuredScores> scores_;
  std::shared_ptr<Shortlist> shortlist_;
  int measured_before_ = 0, failed_before_ = 0;  // by earlier searches
};

// run_planner, run_single and compare_planners with a judge; without one (nullptr), plans are simulated.
Outcome run_judged(const Problem& problem, const ChosenPlanner& planner, const Budget& budget, Picoseconds lower_bound,
                   bool progress, Judge* judge);
std::optional<Outcome> run_single_judged(const Problem& problem, const Budget& budget, Picoseconds lower_bound,
                                         Judge* judge);
Comparison compare_judged(const Problem& problem, std::span<const ChosenPlanner> planners, const Budget& budget,
                          bool progress, const std::vector<Outcome>& given, Judge* judge);

}  // namespace berth::app

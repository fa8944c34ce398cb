// SPDX-License-Identifier: Apache-2.0
// Judge: what plans are judged by: simulations, real runs, or simulations first and real runs of the best.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "plan/search/search.h"
#include "services/caller.h"
#include "services/measure/measuring.h"
#include "services/plan/outcome.h"

namespace berth {

class Judge {
 public:
  virtual ~Judge() = default;

  // What of these holds under this judge: for real runs nothing is proved, and one thread asks at a time.
  [[nodiscard]] virtual Picoseconds lower_bound(Picoseconds simulated) const { return simulated; }
  [[nodiscard]] virtual Budget budget(const Budget& budget) const { return budget; }
  [[nodiscard]] virtual bool is_measured() const { return false; }  // every plan, and not only the best
  // Evaluators for one search; call it once per search.
  virtual EvaluatorMaker evaluators() = 0;
  // What the planner's plan, which is in the outcome, is worth; a judge of real runs may choose another one.
  virtual void settle(const Search& search, Outcome& outcome, Caller& caller) = 0;
};

enum class Environment : std::uint8_t { kSimulate, kMeasure, kBoth };
Result<Environment> find_environment(const std::string& name);

struct JudgeRequest {
  Environment environment = Environment::kSimulate;
  std::uint64_t shortlist = 8;    // plans to measure, if both
  std::string measurements = {};  // file for what every run took; empty: none
  MeasuringRequest measuring = {};
};

// An error if the budget wants simulations on a GPU that is not there, or cannot simulate this problem.
Status check_can_simulate(const Budget& budget, const Problem& problem);

// The problem must outlive its judge.
std::unique_ptr<Judge> simulated_judge(const Problem& problem);
// The judge of a request. Unless it simulates alone, it starts the process that runs plans of the file `graph`, which
// ends when the caller, who must outlive the judge too, wants to stop.
Result<std::unique_ptr<Judge>> make_judge(const JudgeRequest& request, const std::string& graph, const Problem& problem,
                                          Caller& caller);

}  // namespace berth

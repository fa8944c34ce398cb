// SPDX-License-Identifier: Apache-2.0
// The HTML report: one file that opens offline in any browser, whatever the size of the graph. docs/report.md shows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "problem/problem.h"

namespace berth::report {

struct Improvement {  // a search had found a better plan by then
  double seconds = 0.0;
  std::uint64_t evaluations = 0;
  double best_s = 0.0;
};

struct ReportedPlan {
  std::string name;  // "auto", or a file
  std::string note;
  Plan plan;
  Picoseconds lower_bound = 0;
  double search_s = 0.0;
  std::uint64_t evaluations = 0, seed = 0;  // no evaluations: not searched for here
  std::vector<Improvement> convergence = {};
  bool interrupted = false;         // Ctrl-C came before the search was done
  std::string bound_sentence = {};  // what the lower bound rests on; empty: nobody said
};

// What a plan is compared with.
struct Yardstick {
  std::string name;              // "best single device"
  std::string note;              // "all on gpu0"
  std::optional<double> step_s;  // none: does not fit in memory
};

struct ReportContent {
  const Problem& problem;           // objective pipeline: loads in place of the timeline, which it does not have
  std::vector<ReportedPlan> plans;  // at least one; each passes verify()
  std::vector<Yardstick> yardsticks = {};
  std::string version = {};  // of the program
};

// Same content, same bytes. An error in builds without the page (BERTH_REPORT=OFF).
Result<std::string> html_report(const ReportContent& content);

}  // namespace berth::report

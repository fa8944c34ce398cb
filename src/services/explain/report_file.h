// SPDX-License-Identifier: Apache-2.0
// The HTML report as a file: outcomes in, and beside them the yardsticks that people ask for.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "services/plan/outcome.h"
#include "services/problem/problem_request.h"

namespace berth {

// Whether this build has reports, asked before a long search.
Status check_reportable();

// Whether a report can be written there, asked before a long search: not under a name that promises another format.
Status check_report_path(const std::string& path, std::span<const std::string> sources);

// `single` is the best single device's outcome, when it is known; the expert's plan is made here. Written whole or not
// at all; `version` is that of the program.
Status save_report(const std::string& path, const Problem& problem, const std::vector<Outcome>& outcomes,
                   const std::optional<Outcome>& single, std::string version);

// Plans from files side by side.
struct ReportRequest {
  ProblemRequest problem;
  std::vector<std::string> plans;  // at least one
  std::string output, version;
};
// The size of the page that was written, in bytes.
Result<std::uintmax_t> write_report(const ReportRequest& request, Caller& caller);

}  // namespace berth

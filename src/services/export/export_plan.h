// SPDX-License-Identifier: Apache-2.0
// A plan from a file in the form that a runtime or a viewer takes, written where somebody wants it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "services/export/export_promise.h"
#include "services/problem/problem_request.h"

namespace berth {

std::vector<ExportFormat> export_formats();  // all, sorted by name: the one list for help, errors and tests

struct PlanExportRequest {
  ProblemRequest problem;               // machine empty: the one that the plan was made for, if it is built in
  std::string plan;                     // its file
  std::string format;                   // a name of export_formats()
  std::string output;                   // file or folder
  std::vector<std::string> names = {};  // DEVICE=NAME: what the runtime calls a device
  std::string module_prefix = {};       // for accelerate
};

struct PlanExportAnswer {
  ExportFormat format;
  Exported exported;  // files and notes
  std::optional<ExportPromise> promise = {};
};

// What can be found wrong before anything is read is said first.
Result<PlanExportAnswer> export_plan(PlanExportRequest request, Caller& caller);

}  // namespace berth

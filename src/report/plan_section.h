// SPDX-License-Identifier: Apache-2.0
// What a report says about one plan.
#pragma once

#include <string>

#include "files/json/json_writer.h"
#include "problem/problem.h"
#include "report/blob.h"
#include "report/report.h"

namespace berth::report {

// One object of "plans"; its arrays begin with `prefix`. Simulates the plan.
void write_plan(JsonWriter& json, Blob& blob, const Problem& problem, const ReportedPlan& reported,
                const std::string& prefix);

}  // namespace berth::report

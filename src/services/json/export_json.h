// SPDX-License-Identifier: Apache-2.0
// What was written for others, for programs: exports with what they promise, and reports.
#pragma once

#include <cstdint>
#include <string>

#include "services/explain/report_file.h"
#include "services/export/export_plan.h"

namespace berth {

std::string export_json(const PlanExportRequest& request, const PlanExportAnswer& answer);
std::string report_json(const ReportRequest& request, std::uintmax_t bytes);

}  // namespace berth

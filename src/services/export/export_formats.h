// SPDX-License-Identifier: Apache-2.0
// All formats that a plan can be exported to: the one list for help, errors and tests.
#pragma once

#include <string_view>
#include <vector>

#include "export/exporter.h"

namespace berth {

std::vector<ExportFormat> export_formats();  // sorted by name

// An error names the nearest one.
Result<ExportFormat> find_export_format(std::string_view name);

}  // namespace berth

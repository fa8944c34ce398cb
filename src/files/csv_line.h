// SPDX-License-Identifier: Apache-2.0
// Lines of comma-separated values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "files/text_lines.h"

namespace berth {

// The cells of a line; `lines` is for errors. A cell in quotes may hold commas, and quotes written twice.
Result<std::vector<std::string>> csv_cells(std::string_view line, const TextLines& lines);

}  // namespace berth

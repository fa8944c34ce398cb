// SPDX-License-Identifier: Apache-2.0
// Measured times as a table in CSV: a header with the columns op, device and microseconds, in any order and among any
// others; device may be missing. Cells may stand in double quotes, doubled where they are meant (RFC 4180), on one
// line.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "problem/cost/measured_costs.h"

namespace berth {

Result<std::vector<Measurement>> read_csv_costs(std::string_view text);

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
// Files of measured times, recognised by content (docs/formats.md, "Measured costs"): CSV, profiles of ONNX Runtime,
// Chrome and Kineto traces, execution graphs of OpenVINO; plain or gzip. All errors begin with the file's name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "problem/cost/measured_costs.h"

namespace berth {

// For errors about files that are none of these.
inline constexpr std::string_view kReadableCosts =
    "what is read: CSV with the header op,device,microseconds, profiles of ONNX Runtime, Chrome or Kineto traces, and "
    "execution graphs of OpenVINO (berth help formats)";

// Times and how they repeat; the user's word for the device is left empty.
Result<CostsFile> read_costs_file(const std::string& path);
Result<CostsFile> parse_costs(std::string text, const std::string& file_name);

// A table in CSV: a header with the columns op, device and microseconds, in any order and among any others; device may be
// missing. Cells may stand in double quotes, doubled where they are meant (RFC 4180), on one line.
Result<std::vector<Measurement>> read_csv_costs(std::string_view text);

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
// What sets the pace of a pipeline, for pages and JSON. Only for the objective `pipeline`.
#pragma once

#include <string>

#include "app/outcome.h"
#include "io/json_writer.h"

namespace berth::app {

// "gpu3: 12.3 ms per sample, 10.1 ms of ops and 2.20 ms of transfers", or the link that carries most.
std::string pace_text(const Problem& problem, const Plan& plan);

// "limit": {"device" or "link": name, "load_s"}, and "loads_s": {device: seconds}; what links carry is in "links".
void write_pace(JsonWriter& json, const Problem& problem, const Plan& plan);

}  // namespace berth::app

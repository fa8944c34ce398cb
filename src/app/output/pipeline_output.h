// SPDX-License-Identifier: Apache-2.0
// What sets the pace of a pipeline, for JSON. Only for the objective `pipeline`.
#pragma once

#include "files/json/json_writer.h"
#include "services/plan/outcome.h"

namespace berth::app {

// "limit": {"device" or "link": name, "load_s"}, and "loads_s": {device: seconds}; what links carry is in "links".
void write_pace(JsonWriter& json, const Problem& problem, const Plan& plan);

}  // namespace berth::app

// SPDX-License-Identifier: Apache-2.0
// What `berth measure` says about a plan that was run, beside what was predicted.
#pragma once

#include <string>

#include "files/json/json_writer.h"
#include "services/measure/measure.h"

namespace berth::app {

// For a plan that could be run.
std::string measured_page(const Problem& problem, const MeasuredPlan& measured);
// Members, into an open object.
void write_measured(JsonWriter& json, const Problem& problem, const MeasuredPlan& measured);

}  // namespace berth::app

// SPDX-License-Identifier: Apache-2.0
// What `berth measure` says about a sample, beside what was predicted.
#pragma once

#include <string>

#include "files/json/json_writer.h"
#include "measure/sample.h"
#include "problem/problem.h"
#include "sim/timeline.h"

namespace berth::app {

struct MeasuredPlan {
  const Problem& problem;
  const Plan& plan;
  const Sample& sample;
  const Score& predicted;
};

std::string measured_page(const MeasuredPlan& measured);
// Members, into an open object.
void write_measured(JsonWriter& json, const MeasuredPlan& measured);

// The real run for chrome://tracing or Perfetto: a row per device and per pair of devices that talk.
std::string measured_trace(const MeasuredPlan& measured);

}  // namespace berth::app

// SPDX-License-Identifier: Apache-2.0
// What a report says about machine and graph, whatever the plan.
#pragma once

#include "files/json/json_writer.h"
#include "problem/problem.h"
#include "report/blob.h"

namespace berth::report {

// Members "machine", "devices", "pools", "channels", "queues".
void write_machine(JsonWriter& json, const Problem& problem);
// Members "title", "ops", "edges", "types", "modules", "attributes", "classes", "allowed", "lanes" ..., and arrays per
// op.
void write_graph(JsonWriter& json, Blob& blob, const Problem& problem);

}  // namespace berth::report

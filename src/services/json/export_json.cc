// SPDX-License-Identifier: Apache-2.0
#include "services/json/export_json.h"

#include <filesystem>

#include "services/json/outcome_json.h"
#include "services/plan/single_device.h"

namespace berth {
namespace {

// Member "promise".
void write_promise(JsonWriter& json, const ExportPromise& promise) {
  json.object("promise", [&] {
    json.members("weights_sent", promise.sent.count(), "weight_bytes_sent", promise.sent.bytes, "step_time_s",
                 promise.planned.value_s(), "resident_step_time_s", promise.resident.value_s());
    if (!promise.hetero) return;
    json.object("hetero", [&] {
      const auto& [region_cost_s, outcome, single] = *promise.hetero;
      json.members("overlap", false, "region_cost_s", region_cost_s, "step_time_s", outcome.value_s(),
                   "is_slower_than_single_device", is_slower_than_single(outcome, single));
      write_single(json, outcome, single);
    });
  });
}

}  // namespace

std::string export_json(const PlanExportRequest& request, const PlanExportAnswer& answer) {
  return json_document([&](JsonWriter& json) {
    json.members("format", request.format, "output", request.output).key("files").begin_array();
    for (const ExportedFile& file : answer.exported.files) {
      json.value(answer.format.is_folder ? (std::filesystem::path(request.output) / file.name).string()
                                         : request.output);
    }
    json.end_array().list("notes", answer.exported.notes, JsonLayout::kLines);
    if (answer.promise) write_promise(json, *answer.promise);
  });
}

std::string report_json(const ReportRequest& request, std::uintmax_t bytes) {
  return json_document(
      [&](JsonWriter& json) { json.members("report", request.output, "bytes", bytes, "plans", request.plans.size()); });
}

}  // namespace berth

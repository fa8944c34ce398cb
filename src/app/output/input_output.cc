// SPDX-License-Identifier: Apache-2.0
#include "app/output/input_output.h"

#include "base/text.h"
#include "base/units.h"

namespace berth::app {

std::string costs_text(const Graph& graph, const CostsSummary& costs) {
  if (costs.files.empty()) return "";
  std::size_t compute = 0;
  for (const OpId op : graph.ops()) compute += graph.role(op) == Role::kCompute ? 1 : 0;
  return fmt::format("measured times for {} of {}", group_digits(costs.ops), counted(compute, "compute op"));
}

void write_costs(JsonWriter& json, const CostsSummary& costs) {
  if (costs.files.empty()) return;
  json.key("costs").begin_object(JsonLayout::kLines).key("ops").value(costs.ops);
  json.key("files").begin_array(JsonLayout::kLines);
  for (const CostsReport& report : costs.files) {
    json.begin_object().key("file").value(report.path).key("names").value(report.names);
    json.key("matched").value(report.matched).key("timeless").value(report.timeless);
    json.key("other_devices").value(report.other_devices).key("not_in_graph").begin_array();
    for (const std::string& name : report.unmatched) json.value(name);
    json.end_array().end_object();
  }
  json.end_array().end_object();
}

void write_notes(JsonWriter& json, const InputNotes& notes) {
  json.key("warnings").begin_array();
  for (const std::string& warning : notes.warnings) json.value(warning);
  json.end_array().key("assumed_sizes").begin_object();
  for (const auto& [name, size] : notes.assumed_sizes) json.key(name).value(size);
  json.end_object();
}

}  // namespace berth::app

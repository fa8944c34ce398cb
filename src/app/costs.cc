// SPDX-License-Identifier: Apache-2.0
#include "app/costs.h"

#include <filesystem>

#include "base/text.h"
#include "base/units.h"
#include "io/costs/costs_file.h"

namespace berth::app {
namespace {

// "FILE@DEVICE", unless a file has that very name.
Result<CostsFile> read_argument(const std::string& argument) {
  std::error_code ignored;
  const std::size_t at = argument.rfind('@');
  if (at == std::string::npos || std::filesystem::exists(argument, ignored)) return read_costs_file(argument);
  BERTH_TRY(CostsFile costs, read_costs_file(argument.substr(0, at)));
  costs.device = argument.substr(at + 1);
  if (costs.device.empty()) return bad_input("--costs {}: no device stands behind the @", argument);
  return costs;
}

}  // namespace

Result<MatchedCosts> resolve_costs(std::span<const std::string> arguments, const Graph& graph, const Machine& machine) {
  std::vector<CostsFile> files;
  for (const std::string& argument : arguments) {
    BERTH_TRY(CostsFile file, read_argument(argument));
    files.push_back(std::move(file));
  }
  return match_costs(graph, machine, files);
}

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

}  // namespace berth::app

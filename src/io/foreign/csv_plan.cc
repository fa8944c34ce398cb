// SPDX-License-Identifier: Apache-2.0
// CSV with a header that has the columns op and device, as berth export --to csv writes it.
#include <algorithm>
#include <unordered_map>

#include "base/text.h"
#include "io/csv_line.h"
#include "io/foreign/readers.h"
#include "io/json_reader.h"

namespace berth {

Result<OpDevices> read_csv_plan(const std::string& text, const ForeignPlanRequest& request) {
  std::string_view body = text;
  if (body.starts_with(kByteOrderMark)) body.remove_prefix(kByteOrderMark.size());
  TextLines lines(body);
  BERTH_TRY(const std::vector<std::string> header, csv_cells(lines.next().value_or(""), lines));
  const auto op_column = static_cast<std::size_t>(std::ranges::find(header, "op") - header.begin());
  const auto device_column = static_cast<std::size_t>(std::ranges::find(header, "device") - header.begin());
  if (op_column == header.size() || device_column == header.size()) {
    return lines.error("the header of a plan has the columns op and device");
  }
  const Graph& graph = request.problem.graph();
  std::unordered_map<std::string_view, OpId> ops;
  for (const OpId op : graph.ops()) ops.emplace(graph.name(op), op);
  OpDevices devices(graph.num_ops());
  while (const auto line = lines.next()) {
    BERTH_TRY(const std::vector<std::string> cells, csv_cells(*line, lines));
    if (cells.size() != header.size()) {
      return lines.error(fmt::format("it has {} cells, the header has {}", cells.size(), header.size()));
    }
    const auto op = ops.find(cells[op_column]);
    if (op == ops.end()) return lines.error(fmt::format("the graph has no op {}", in_quotes(cells[op_column])));
    std::string& device = devices[index(op->second)];
    if (!device.empty()) return lines.error(fmt::format("the op '{}' has been placed already", cells[op_column]));
    device = cells[device_column];
  }
  if (std::ranges::all_of(devices, [](const std::string& device) { return device.empty(); })) {
    return bad_input("no op below the header has a device");
  }
  return devices;
}

}  // namespace berth

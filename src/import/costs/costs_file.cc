// SPDX-License-Identifier: Apache-2.0
#include "import/costs/costs_file.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/units.h"
#include "files/files.h"
#include "files/text_lines.h"
#include "import/costs/trace_costs.h"
#include "import/costs/trace_events.h"
#include "import/openvino/execution_graph.h"

namespace berth {
namespace {

// What a runtime adds by itself, such as a change of layout, is no layer's time.
Result<CostsFile> read_execution_costs(std::string_view xml) {
  BERTH_TRY(std::vector<ExecutionTime> primitives, read_execution_graph(xml));
  CostsFile costs{.repeats = Repeats::kSum};
  for (ExecutionTime& primitive : primitives) {
    if (primitive.layers.empty()) continue;
    costs.times.push_back({.ops = std::move(primitive.layers), .seconds = primitive.microseconds * kMicrosecond});
  }
  if (costs.times.empty()) return bad_input("no primitive says which layers it stands for (originalLayersNames)");
  return costs;
}

Result<CostsFile> read_trace_costs(std::string text) {
  BERTH_TRY(const std::vector<TraceEvent> events, read_trace_events(std::move(text)));
  const bool is_profile = is_onnxruntime_profile(events);
  CostsFile costs{.times = is_profile ? onnxruntime_times(events) : trace_times(events)};
  if (costs.times.empty()) {
    return bad_input(
        "no event of the trace is the time of an op; expected complete events (\"ph\": \"X\") with \"name\" and "
        "\"dur\", of category Node in a profile of ONNX Runtime");
  }
  return costs;
}

Result<CostsFile> read_any(std::string text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (first == std::string::npos) return bad_input("it is empty; {}", kReadableCosts);
  if (text[first] == '<') return read_execution_costs(text);
  if (text[first] == '{' || text[first] == '[') return read_trace_costs(std::move(text));
  BERTH_TRY(std::vector<Measurement> times, read_csv_costs(text));
  return CostsFile{.times = std::move(times)};
}

struct Columns {
  std::size_t count = 0, op = 0, microseconds = 0;
  std::optional<std::size_t> device;
};

Result<Columns> read_header(std::string_view line, const TextLines& lines) {
  BERTH_TRY(const std::vector<std::string> cells, csv_cells(line, lines));
  const auto find = [&](std::string_view name) -> std::optional<std::size_t> {
    const auto found = std::ranges::find(cells, name);
    if (found == cells.end()) return std::nullopt;
    return static_cast<std::size_t>(found - cells.begin());
  };
  const auto op = find("op"), microseconds = find("microseconds");
  if (!op || !microseconds) return lines.error(fmt::format("no header of a table of times; {}", kReadableCosts));
  return Columns{cells.size(), *op, *microseconds, find("device")};
}

}  // namespace

Result<CostsFile> parse_costs(std::string text, const std::string& file_name) {
  auto costs = read_any(std::move(text));
  if (!costs) return in_file(file_name, costs.error());
  costs->path = file_name;
  return costs;
}

Result<CostsFile> read_costs_file(const std::string& path) {
  BERTH_TRY(std::string text, read_file(path));
  return parse_costs(std::move(text), path);
}

Result<std::vector<Measurement>> read_csv_costs(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  TextLines lines(text);
  BERTH_TRY(const Columns columns, read_header(lines.next().value_or(""), lines));
  std::vector<Measurement> times;
  while (const auto line = lines.next()) {
    BERTH_TRY(std::vector<std::string> cells, csv_cells(*line, lines));
    if (cells.size() != columns.count) {
      return lines.error(fmt::format("it has {} cells, the header has {}", cells.size(), columns.count));
    }
    if (cells[columns.op].empty()) return lines.error("the name of the op is empty");
    BERTH_TRY(const double microseconds, lines.amount(cells[columns.microseconds], "microseconds"));
    times.push_back({.ops = {std::move(cells[columns.op])},
                     .device = columns.device ? std::move(cells[*columns.device]) : std::string(),
                     .seconds = microseconds * kMicrosecond});
  }
  if (times.empty()) return bad_input("there are no times below the header");
  return times;
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include "import/costs/csv_costs.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/units.h"
#include "files/text_lines.h"
#include "import/costs/costs_file.h"

namespace berth {
namespace {

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

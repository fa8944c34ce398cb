// SPDX-License-Identifier: Apache-2.0
#include "io/costs/csv_costs.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/text.h"
#include "io/costs/costs_file.h"
#include "io/text_lines.h"

namespace berth {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr double kMicrosecond = 1e-6;

// The cell at the front of the rest of a line, taken off with the comma behind it; nothing if a quote is not closed or
// has something behind it.
std::optional<std::string> take_cell(std::string_view& rest) {
  rest = trim(rest);
  if (!rest.starts_with('"')) {
    const std::string_view cell = rest.substr(0, rest.find(','));
    rest.remove_prefix(cell.size());
    return std::string(trim(cell));
  }
  std::string cell;
  for (rest.remove_prefix(1);;) {
    const std::size_t quote = rest.find('"');
    if (quote == std::string_view::npos) return std::nullopt;
    cell += rest.substr(0, quote);
    rest.remove_prefix(quote + 1);
    if (!rest.starts_with('"')) break;
    cell += '"';
    rest.remove_prefix(1);
  }
  rest = trim(rest);
  if (!rest.empty() && rest.front() != ',') return std::nullopt;
  return cell;
}

Result<std::vector<std::string>> cells_of(std::string_view line, const TextLines& lines) {
  std::vector<std::string> cells;
  for (;;) {
    std::optional<std::string> cell = take_cell(line);
    if (!cell) return lines.error("a quoted cell is not closed before the next comma");
    cells.push_back(*std::move(cell));
    if (line.empty()) return cells;
    line.remove_prefix(1);  // the comma
  }
}

struct Columns {
  std::size_t count = 0, op = 0, microseconds = 0;
  std::optional<std::size_t> device;
};

Result<Columns> read_header(std::string_view line, const TextLines& lines) {
  BERTH_TRY(const std::vector<std::string> cells, cells_of(line, lines));
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
    BERTH_TRY(std::vector<std::string> cells, cells_of(*line, lines));
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

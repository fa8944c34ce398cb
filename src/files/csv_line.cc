// SPDX-License-Identifier: Apache-2.0
#include "files/csv_line.h"

#include <optional>

#include "base/text.h"

namespace berth {
namespace {

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

}  // namespace

Result<std::vector<std::string>> csv_cells(std::string_view line, const TextLines& lines) {
  std::vector<std::string> cells;
  for (;;) {
    std::optional<std::string> cell = take_cell(line);
    if (!cell) return lines.error("a quoted cell is not closed before the next comma");
    cells.push_back(*std::move(cell));
    if (line.empty()) return cells;
    line.remove_prefix(1);  // the comma
  }
}

}  // namespace berth

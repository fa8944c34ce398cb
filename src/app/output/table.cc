// SPDX-License-Identifier: Apache-2.0
#include "app/output/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/output/terminal.h"

namespace berth::app {
namespace {

// Characters that take room on a terminal: no colour codes, one per UTF-8 character.
std::size_t width(std::string_view text) {
  std::size_t count = 0;
  bool in_code = false;
  for (const char c : text) {
    if (c == '\033') in_code = true;
    if (!in_code && (static_cast<unsigned char>(c) & 0xC0U) != 0x80U) ++count;
    if (c == 'm') in_code = false;
  }
  return count;
}

}  // namespace

Table Table::headed(std::vector<std::string> names) {
  std::vector<Align> columns;
  for (std::string& name : names) {
    columns.push_back(name.starts_with('>') ? Align::kRight : Align::kLeft);
    if (columns.back() == Align::kRight) name.erase(0, 1);
  }
  Table table(std::move(columns));
  table.add(std::move(names));
  return table;
}

void Table::add(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = clean_coloured(cell);
  rows_.push_back(std::move(cells));
}

std::string Table::text(std::string_view indent) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line(indent);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - width(row[i]), ' ');
      if (i > 0 && widths[i] > 0) line += "  ";
      line += columns_[i] == Align::kLeft ? row[i] + padding : padding + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string bar(double share) {
  constexpr int kSteps = 10;
  const long full = std::lround(std::clamp(share, 0.0, 1.0) * kSteps);
  return fmt::format("[{:<{}}]", std::string(static_cast<std::size_t>(full), '#'), kSteps);
}

}  // namespace berth::app

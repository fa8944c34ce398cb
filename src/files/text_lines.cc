// SPDX-License-Identifier: Apache-2.0
#include "files/text_lines.h"

#include <charconv>
#include <cmath>
#include <optional>

#include "base/text.h"
#include "files/json/json_reader.h"

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

std::optional<std::string_view> TextLines::next() {
  while (!rest_.empty()) {
    const std::size_t end = rest_.find('\n');
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    ++number_;
    indented_ = line.starts_with('\t');
    if (comment_ != '\0') line = line.substr(0, line.find(comment_));
    line = trim(line);
    if (!line.empty()) return line;
  }
  return std::nullopt;
}

Result<double> TextLines::amount(std::string_view word, std::string_view what) const {
  double value = 0.0;
  const char* const end = word.data() + word.size();
  const auto [stop, failed] = std::from_chars(word.data(), end, value);
  if (failed == std::errc() && stop == end && std::isfinite(value) && value >= 0.0) return value;
  return error(fmt::format("{} is {}; expected a number that is not negative", what, in_quotes(word)));
}

Result<std::uint64_t> TextLines::whole(std::string_view word, std::string_view what, std::uint64_t most) const {
  std::uint64_t value = 0;
  const char* const end = word.data() + word.size();
  const auto [stop, failed] = std::from_chars(word.data(), end, value);
  if (failed == std::errc() && stop == end && value <= most) return value;
  return error(fmt::format("{} is {}; expected a whole number up to {}", what, in_quotes(word), most));
}

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view kBlank = " \t";
  std::vector<std::string_view> words;
  for (std::size_t at = line.find_first_not_of(kBlank); at != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlank, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(kBlank, end);
  }
  return words;
}

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

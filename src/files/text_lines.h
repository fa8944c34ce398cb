// SPDX-License-Identifier: Apache-2.0
// Reading plain text line by line, also comma-separated values, with errors that say which line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth {

inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // that some programs put in front of a text

// The lines of a text that hold anything, without their line ends and the blanks around them. The text must outlive it.
class TextLines {
 public:
  // `comment` begins a comment that goes to the end of the line; '\0': there are none.
  explicit TextLines(std::string_view text, char comment = '\0') : rest_(text), comment_(comment) {}

  std::optional<std::string_view> next();  // none at the end
  // Whether the line began with a tab, before it was trimmed.
  [[nodiscard]] bool indented() const { return indented_; }
  [[nodiscard]] std::size_t number() const { return number_; }  // of the line, from 1

  // "line 12: what"; at the end of the text the last line.
  [[nodiscard]] Error error(std::string_view what) const { return bad_input("line {}: {}", number_, what); }
  // Numbers of the current line; `what` names the number in errors. Amounts are finite and not negative.
  [[nodiscard]] Result<double> amount(std::string_view word, std::string_view what) const;
  [[nodiscard]] Result<std::uint64_t> whole(std::string_view word, std::string_view what, std::uint64_t most) const;

 private:
  std::string_view rest_;
  char comment_;
  std::size_t number_ = 0;
  bool indented_ = false;
};

// The words between blanks and tabs.
std::vector<std::string_view> words_of(std::string_view line);

// The cells of a line of comma-separated values; `lines` is for errors. A cell in quotes may hold commas, and quotes written twice.
Result<std::vector<std::string>> csv_cells(std::string_view line, const TextLines& lines);

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include "import/pt2/python_json.h"

#include <array>
#include <limits>
#include <string_view>

namespace berth {
namespace {

struct Replacement {
  std::string_view word, quoted;  // of equal length, so that the text keeps its place
};
constexpr std::array kReplacements{Replacement{"-Infinity", "\"-inf\"   "}, Replacement{"Infinity", "\"inf\"   "},
                                   Replacement{"NaN", "\"n\""}};

std::size_t end_of_string(std::string_view text, std::size_t quote) {
  std::size_t at = quote + 1;
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return at + 1;
}

}  // namespace

void quote_non_finite_numbers(std::string& text) {
  if (text.find("Infinity") == std::string::npos && text.find("NaN") == std::string::npos) return;
  for (std::size_t at = text.find_first_of("\"-IN"); at < text.size(); at = text.find_first_of("\"-IN", at)) {
    if (text[at] == '"') {
      at = end_of_string(text, at);
      continue;
    }
    std::size_t step = 1;
    for (const Replacement& replacement : kReplacements) {
      if (text.compare(at, replacement.word.size(), replacement.word) != 0) continue;
      text.replace(at, replacement.quoted.size(), replacement.quoted);
      step = replacement.quoted.size();
      break;
    }
    at += step;
  }
}

double non_finite_number(std::string_view quoted) {
  if (quoted.starts_with('-')) return -std::numeric_limits<double>::infinity();
  if (quoted.starts_with('n') || quoted.starts_with('N')) return std::numeric_limits<double>::quiet_NaN();
  return std::numeric_limits<double>::infinity();
}

}  // namespace berth

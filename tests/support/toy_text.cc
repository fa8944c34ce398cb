// SPDX-License-Identifier: Apache-2.0
#include "support/toy_text.h"

#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>

namespace berth::toy {
namespace {

bool parse(std::string_view text, double& value) {
  const std::string copy(text);
  char* end = nullptr;
  value = std::strtod(copy.c_str(), &end);
  return !copy.empty() && end == copy.c_str() + copy.size();
}

}  // namespace

void fail(std::string_view what, std::string_view piece) {
  throw std::invalid_argument(fmt::format("toy: {}: '{}'", what, piece));
}

std::string trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(kSpace) - first + 1));
}

std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> pieces;
  while (true) {
    const std::size_t at = text.find(separator);
    if (std::string piece = trim(text.substr(0, at)); !piece.empty()) pieces.push_back(std::move(piece));
    if (at == std::string_view::npos) return pieces;
    text.remove_prefix(at + separator.size());
  }
}

double number(std::string_view text) {
  double value = 0.0;
  if (!parse(text, value)) fail("no number", text);
  return value;
}

bool has_number_before(std::string_view text, std::string_view unit, double& value) {
  return text.ends_with(unit) && parse(text.substr(0, text.size() - unit.size()), value);
}

}  // namespace berth::toy

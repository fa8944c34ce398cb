// SPDX-License-Identifier: Apache-2.0
#include "files/json/json_outline.h"

#include <algorithm>

namespace berth {
namespace {

constexpr std::string_view kSpace = " \t\r\n";
constexpr std::string_view kAfterScalar = " \t\r\n,]}";

}  // namespace

Error JsonScanner::error_at(std::size_t offset, std::string_view what) const {
  const auto begin = text_.begin();
  const auto line = 1 + std::count(begin, begin + static_cast<std::ptrdiff_t>(std::min(offset, text_.size())), '\n');
  return bad_input("line {}: {}", line, what);
}

Error JsonScanner::ends_early() const { return error("the JSON text ends too early; is the file truncated?"); }

void JsonScanner::skip_space() { at_ = std::min(text_.find_first_not_of(kSpace, at_), text_.size()); }

bool JsonScanner::at_end() {
  skip_space();
  return at_ == text_.size();
}

bool JsonScanner::accept(char wanted) {
  if (at_end() || text_[at_] != wanted) return false;
  ++at_;
  return true;
}

Status JsonScanner::expect(char wanted, std::string_view where) {
  if (accept(wanted)) return {};
  if (at_end()) return ends_early();
  return error(fmt::format("expected '{}' {}", wanted, where));
}

bool JsonScanner::skip_string() {
  for (++at_; at_ < text_.size(); ++at_) {
    if (text_[at_] == '\\') {
      ++at_;
    } else if (text_[at_] == '"') {
      ++at_;
      return true;
    }
  }
  at_ = text_.size();
  return false;
}

bool JsonScanner::skip_container() {
  std::size_t depth = 0;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '"') {
      if (!skip_string()) return false;
      continue;
    }
    ++at_;
    if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return true;
    }
  }
  return false;
}

Result<JsonSpan> JsonScanner::string() {
  if (at_end()) return ends_early();
  if (text_[at_] != '"') return error("expected a string in double quotes");
  const std::size_t begin = at_;
  if (!skip_string()) return error_at(begin, "a string is not closed; is the file truncated?");
  return JsonSpan{begin, at_};
}

Result<JsonSpan> JsonScanner::value() {
  if (at_end()) return ends_early();
  const std::size_t begin = at_;
  const char first = text_[at_];
  if (first == '"') return string();
  if (first == '{' || first == '[') {
    if (!skip_container()) return ends_early();
    return JsonSpan{begin, at_};
  }
  at_ = std::min(text_.find_first_of(kAfterScalar, at_), text_.size());
  if (at_ == begin) return error("expected a value");
  return JsonSpan{begin, at_};
}

}  // namespace berth

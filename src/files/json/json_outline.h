// SPDX-License-Identifier: Apache-2.0
// JsonScanner: finds where JSON values begin and end, without building anything. Lets big files be parsed piece by
// piece, so that memory is bound by the text and not by a parser's tape (which takes 5 to 13 times the text). Brackets
// and strings are followed exactly; what stands between them is left to the parser that gets the pieces.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"

namespace berth {

struct JsonSpan {
  std::size_t begin = 0, end = 0;  // offsets into the text
  [[nodiscard]] std::size_t size() const { return end - begin; }
};

class JsonScanner {
 public:
  explicit JsonScanner(std::string_view text, std::size_t at = 0) : text_(text), at_(at) {}

  // Skips white space and, if the next character is `wanted`, that too.
  bool accept(char wanted);
  Status expect(char wanted, std::string_view where);
  Result<JsonSpan> string();  // with its quotes
  Result<JsonSpan> value();
  bool at_end();

  // "line 12: what"
  [[nodiscard]] Error error(std::string_view what) const { return error_at(at_, what); }
  [[nodiscard]] Error error_at(std::size_t offset, std::string_view what) const;

 private:
  void skip_space();
  bool skip_string();  // false: not closed
  bool skip_container();
  [[nodiscard]] Error ends_early() const;

  std::string_view text_;
  std::size_t at_;
};

}  // namespace berth

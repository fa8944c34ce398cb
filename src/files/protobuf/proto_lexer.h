// SPDX-License-Identifier: Apache-2.0
// The words of protobuf's text format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth {

class ProtoLexer {
 public:
  enum class Kind : std::uint8_t { kEnd, kWord, kString, kSymbol };  // numbers are words: 12, 0x1f, 1.5e-3f, inf

  explicit ProtoLexer(std::string_view text) : text_(text) {}

  // Reads the next token; an error for a string that does not end or a character that cannot stand there.
  Status advance();
  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool is(char symbol) const { return kind_ == Kind::kSymbol && token_.front() == symbol; }
  [[nodiscard]] std::string_view token() const { return token_; }  // a string between its quotes, as written

  // "line 12: what"
  [[nodiscard]] Error error(std::string_view what) const;
  [[nodiscard]] Error expected(std::string_view what) const;

 private:
  void skip_blanks();
  Status read_string(char quote);

  std::string_view text_, token_;
  std::size_t at_ = 0, line_ = 1;
  Kind kind_ = Kind::kEnd;
};

// Appends what a string between its quotes stands for; false for an escape that does not exist.
bool append_unescaped(std::string_view written, std::string& bytes);

}  // namespace berth

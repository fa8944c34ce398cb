// SPDX-License-Identifier: Apache-2.0
#include "import/pt2/symbol_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/text.h"

namespace berth {
namespace {

constexpr int kDeepestSymbol = 32;
enum Strength { kSum, kProduct, kPower, kAtom };  // what needs parentheses inside what

struct Text {
  std::string text;
  Strength strength = kAtom;
};

std::string joined(const std::vector<Text>& terms, std::string_view sign, Strength strength) {
  std::string text;
  for (const Text& term : terms) {
    if (!text.empty()) text += sign;
    const bool in_parentheses = term.strength < strength || (term.strength == strength && strength == kPower);
    text += in_parentheses ? fmt::format("({})", term.text) : term.text;
  }
  return text;
}

// "a + 2 - 1" of a, 2 and -1.
std::string sum(const std::vector<Text>& terms) {
  std::string text;
  for (const Text& term : terms) {
    const bool negative = !text.empty() && term.text.starts_with('-');
    if (!text.empty()) text += negative ? " - " : " + ";
    text += negative ? term.text.substr(1) : term.text;
  }
  return text;
}

// Recursive descent over NAME(argument, ...); an argument is such a call, a number, a 'quoted' name or key=value.
class SympyReader {
 public:
  explicit SympyReader(std::string_view text) : rest_(text) {}

  std::optional<std::string> read() {
    auto expression = read_call(0);
    if (!expression || !rest_.empty()) return std::nullopt;
    return std::move(expression->text);
  }

 private:
  bool accept(char wanted) {
    rest_ = trim(rest_);
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::string_view read_word() {
    rest_ = trim(rest_);
    const std::size_t end = std::min(rest_.find_first_of("(),"), rest_.size());
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return trim(word);
  }

  std::optional<Text> read_call(int depth) {
    if (depth == kDeepestSymbol) return std::nullopt;
    const std::string_view word = read_word();
    if (word.empty()) return std::nullopt;
    if (!accept('(')) return Text{std::string(word)};
    const std::string_view name = word.substr(word.rfind('.') + 1);  // npos + 1 is 0
    if (name == "Symbol") return read_symbol();
    std::vector<Text> arguments;
    for (bool more = !accept(')'); more;) {
      auto argument = read_call(depth + 1);
      if (!argument) return std::nullopt;
      arguments.push_back(*std::move(argument));
      more = accept(',');
      if (!more && !accept(')')) return std::nullopt;
    }
    return write(name, arguments);
  }

  // Behind "Symbol(": 's77', and assumptions that say nothing here.
  std::optional<Text> read_symbol() {
    const std::string_view quoted = read_word();
    const std::size_t end = rest_.find(')');
    if (quoted.size() < 3 || quoted.front() != '\'' || quoted.back() != '\'' || end == std::string_view::npos)
      return std::nullopt;
    rest_.remove_prefix(end + 1);
    return Text{std::string(quoted.substr(1, quoted.size() - 2))};
  }

  static std::optional<Text> write(std::string_view name, const std::vector<Text>& arguments) {
    if (arguments.empty()) return std::nullopt;
    if (name == "Integer" && arguments.size() == 1) return arguments.front();
    if (name == "Add") return Text{sum(arguments), kSum};
    if (name == "Mul") return Text{joined(arguments, "*", kProduct), kProduct};
    if (name == "Pow" && arguments.size() == 2) return Text{joined(arguments, "**", kPower), kPower};
    if ((name == "FloorDiv" || name == "CleanDiv") && arguments.size() == 2)
      return Text{joined(arguments, "//", kPower), kProduct};
    return Text{fmt::format("{}({})", name, joined(arguments, ", ", kSum))};
  }

  std::string_view rest_;
};

}  // namespace

std::string readable_symbol(std::string_view expression) {
  if (expression.find('(') == std::string_view::npos) return std::string(expression);
  return SympyReader(expression).read().value_or(std::string(expression));
}

}  // namespace berth

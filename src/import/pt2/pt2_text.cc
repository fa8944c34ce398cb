// SPDX-License-Identifier: Apache-2.0
#include "import/pt2/pt2_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "base/text.h"

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

// The text up to the next separator outside parentheses and brackets ("slice(1, None, None)"); takes both off `rest`.
std::string_view next_field(std::string_view& rest, char separator) {
  int depth = 0;
  std::size_t end = 0;
  for (; end < rest.size(); ++end) {
    const char c = rest[end];
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') depth = std::max(depth - 1, 0);
    if (c == separator && depth == 0) break;
  }
  const std::string_view field = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return field;
}

// "L['self']", as dynamo calls the first argument of forward(), whose name is the author's choice; else empty.
std::string_view local_name(std::string_view path) {
  constexpr std::string_view kBegin = "L['", kEnd = "']";
  if (!path.starts_with(kBegin)) return {};
  const std::size_t end = path.find(kEnd, kBegin.size());
  return end == std::string_view::npos ? std::string_view() : path.substr(0, end + kEnd.size());
}

std::string_view without_root(std::string_view path) {
  for (const std::string_view root : {local_name(path), std::string_view("L__self__"), std::string_view("self")}) {
    if (root.empty()) continue;
    if (path == root) return {};
    if (path.starts_with(root) && (path[root.size()] == '.' || path[root.size()] == '['))
      return path.substr(root.size());
  }
  return path;
}

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Whether path[at] opens an index: [0] or ['name'].
bool is_index(std::string_view path, std::size_t at) {
  return path[at] == '[' && at + 1 < path.size() && (is_digit(path[at + 1]) || path[at + 1] == '\'');
}

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

std::string innermost_module(std::string_view nn_module_stack) {
  std::string_view entry;
  while (!nn_module_stack.empty()) entry = next_field(nn_module_stack, ';');
  next_field(entry, ',');  // the key
  const std::string_view path = without_root(next_field(entry, ','));
  std::string plain;
  for (std::size_t at = 0; at < path.size(); ++at) {
    if (path[at] == '@') {
      while (at + 1 < path.size() && is_digit(path[at + 1])) ++at;
    } else if (is_index(path, at)) {
      plain += '.';
      const std::size_t end = std::min(path.find(']', at), path.size());
      for (++at; at < end; ++at) {
        if (path[at] != '\'') plain += path[at];
      }
    } else {
      plain += path[at];
    }
  }
  if (plain.starts_with('.')) plain.erase(0, 1);
  return plain;
}

std::string readable_symbol(std::string_view expression) {
  if (expression.find('(') == std::string_view::npos) return std::string(expression);
  return SympyReader(expression).read().value_or(std::string(expression));
}

}  // namespace berth

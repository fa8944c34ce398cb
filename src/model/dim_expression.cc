// SPDX-License-Identifier: Apache-2.0
#include "model/dim_expression.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace berth {
namespace {

constexpr int kMaxDepth = 32;
constexpr double kLargest = 4503599627370496.0;  // 2^52: whole numbers up to there are exact

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_char(char c) { return is_letter(c) || is_digit(c) || c == '.' || c == ':'; }

std::size_t length_while(std::string_view text, bool (*test)(char)) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), test) - text.begin());
}

// Recursive descent; real numbers in between, so that floor(a/2) means what it says.
class DimParser {
 public:
  DimParser(std::string_view text, const DimSizes& sizes) : rest_(text), sizes_(sizes) {}

  std::optional<double> read() {
    const auto value = sum(0);
    skip_spaces();
    return rest_.empty() ? value : std::nullopt;
  }

 private:
  using Number = std::optional<double>;

  void skip_spaces() { rest_.remove_prefix(length_while(rest_, [](char c) { return c == ' '; })); }

  bool accept(std::string_view sign) {
    skip_spaces();
    if (!rest_.starts_with(sign)) return false;
    rest_.remove_prefix(sign.size());
    return true;
  }

  Number sum(int depth) {
    Number left = product(depth);
    while (left) {
      const bool plus = accept("+");
      if (!plus && !accept("-")) break;
      const Number right = product(depth);
      left = right ? Number(plus ? *left + *right : *left - *right) : std::nullopt;
    }
    return left;
  }

  Number product(int depth) {
    Number left = power(depth);
    while (left) {
      const bool whole = accept("//"), over = !whole && accept("/");
      if (!whole && !over && !accept("*")) break;
      const Number right = power(depth);
      if (!right || ((whole || over) && *right == 0.0)) return std::nullopt;
      left = whole ? std::floor(*left / *right) : over ? *left / *right : *left * *right;
    }
    return left;
  }

  Number power(int depth) {
    const Number base = atom(depth);
    if (!base || !accept("**")) return base;
    const Number exponent = atom(depth);
    return exponent ? Number(std::pow(*base, *exponent)) : std::nullopt;
  }

  Number atom(int depth) {
    if (depth == kMaxDepth) return std::nullopt;
    if (accept("-")) {
      const Number value = atom(depth + 1);
      return value ? Number(-*value) : std::nullopt;
    }
    if (accept("(")) {
      const Number value = sum(depth + 1);
      return accept(")") ? value : std::nullopt;
    }
    skip_spaces();
    if (!rest_.empty() && is_digit(rest_.front())) return number();
    const std::string name(rest_.substr(0, length_while(rest_, is_name_char)));
    rest_.remove_prefix(name.size());
    if (name.empty()) return std::nullopt;
    if (accept("(")) return call(name, depth);
    const auto found = sizes_.find(name);
    return found != sizes_.end() ? Number(static_cast<double>(found->second)) : std::nullopt;
  }

  Number number() {
    double value = 0.0;
    for (; !rest_.empty() && is_digit(rest_.front()); rest_.remove_prefix(1)) value = value * 10 + (rest_.front() - '0');
    return value;
  }

  Number call(const std::string& name, int depth) {
    const bool largest = name == "Max" || name == "max", smallest = name == "Min" || name == "min";
    Number result = sum(depth + 1);
    while (result && (largest || smallest) && accept(",")) {
      const Number next = sum(depth + 1);
      result = next ? Number(largest ? std::max(*result, *next) : std::min(*result, *next)) : std::nullopt;
    }
    if (!result || !accept(")")) return std::nullopt;
    if (largest || smallest) return result;
    if (name == "floor") return std::floor(*result);
    if (name == "ceiling" || name == "ceil") return std::ceil(*result);
    return std::nullopt;
  }

  std::string_view rest_;
  const DimSizes& sizes_;
};

}  // namespace

std::optional<std::int64_t> evaluate_dim(std::string_view expression, const DimSizes& sizes) {
  if (const auto found = sizes.find(std::string(expression)); found != sizes.end()) return found->second;
  const auto value = DimParser(expression, sizes).read();
  if (!value || !(*value >= 0.0 && *value <= kLargest) || std::floor(*value) != *value) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

bool mentions(std::string_view expression, const DimSizes& names) {
  if (names.empty()) return false;
  if (names.contains(std::string(expression))) return true;
  while (!expression.empty()) {
    const std::size_t length = is_letter(expression.front()) ? length_while(expression, is_name_char) : 0;
    if (length > 0 && names.contains(std::string(expression.substr(0, length)))) return true;
    // Digits at the front of a word are no name: "16batch" is not read as 16 times batch.
    const std::size_t skipped = is_digit(expression.front()) ? length_while(expression, is_name_char) : length;
    expression.remove_prefix(std::max<std::size_t>(skipped, 1));
  }
  return false;
}

bool is_plain_name(std::string_view expression) {
  return !expression.empty() && is_letter(expression.front()) &&
         length_while(expression, is_name_char) == expression.size();
}

}  // namespace berth

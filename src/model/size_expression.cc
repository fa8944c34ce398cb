// SPDX-License-Identifier: Apache-2.0
#include "model/size_expression.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace berth {
namespace {

constexpr std::size_t kLongestText = 1024;
constexpr int kDeepestExpression = 32;
constexpr std::int64_t kLargestNumber = std::int64_t{1} << 52;
constexpr std::int64_t kHighestPower = 64;

// None: not known; as an operand it makes the result unknown. Beyond kLargestNumber all numbers are kTooLarge, with a
// sign.
using Number = std::optional<std::int64_t>;

bool is_too_large(std::int64_t number) { return std::abs(number) > kLargestNumber; }

Number in_range(std::int64_t number) {
  if (!is_too_large(number)) return number;
  return number > 0 ? kTooLarge : -kTooLarge;
}

Number add(Number a, Number b) {
  if (!a || !b || (is_too_large(*a) && is_too_large(*b) && *a != *b)) return std::nullopt;
  return in_range(*a + *b);
}
Number negate(Number a) { return a ? Number(-*a) : std::nullopt; }

Number multiply(Number a, Number b) {
  if (!a || !b) return std::nullopt;
  if (*b == 0 || std::abs(*a) <= kLargestNumber / std::abs(*b)) return *a * *b;
  return (*a < 0) == (*b < 0) ? kTooLarge : -kTooLarge;
}

Number floor_divide(Number a, Number b) {
  if (!a || !b || *b == 0 || is_too_large(*a) || is_too_large(*b)) return std::nullopt;
  const bool rounds_up = *a % *b != 0 && (*a < 0) != (*b < 0);
  return *a / *b - (rounds_up ? 1 : 0);
}

Number modulo(Number a, Number b) { return add(a, negate(multiply(b, floor_divide(a, b)))); }

Number power(Number base, Number exponent) {
  if (!base || !exponent || *exponent < 0) return std::nullopt;
  if (*exponent > kHighestPower) return *base > 1 ? Number(kTooLarge) : std::nullopt;
  Number result = 1;
  for (std::int64_t i = 0; i < *exponent; ++i) result = multiply(result, base);
  return result;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_in_name(char c) { return starts_name(c) || is_digit(c) || c == '.'; }

// Recursive descent; evaluates while it reads.
class Reader {
 public:
  Reader(std::string_view text, const DimSizes& sizes) : rest_(text), sizes_(sizes) {}

  std::optional<SizeExpression> read() {
    const Number value = sum(0);
    if (failed_ || !rest_.empty()) return std::nullopt;
    if (value && *value >= 0) result_.value = value;
    return std::move(result_);
  }

 private:
  bool accept(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  Number fail() {
    failed_ = true;
    return std::nullopt;
  }

  Number sum(int depth) {
    Number total = product(depth);
    while (!failed_) {
      if (accept(" + ")) {
        total = add(total, product(depth));
      } else if (accept(" - ")) {
        total = add(total, negate(product(depth)));
      } else {
        break;
      }
    }
    return total;
  }

  Number product(int depth) {
    Number total = factor(depth);
    while (!failed_) {
      if (accept("*")) {
        total = multiply(total, factor(depth));
      } else if (accept("//")) {
        total = floor_divide(total, factor(depth));
      } else {
        break;
      }
    }
    return total;
  }

  Number factor(int depth) {
    if (depth > kDeepestExpression) return fail();
    const bool negative = accept("-");
    Number value = atom(depth);
    if (!failed_ && accept("**")) value = power(value, factor(depth + 1));
    return negative ? negate(value) : value;
  }

  Number atom(int depth) {
    if (rest_.empty()) return fail();
    if (is_digit(rest_.front())) return number();
    if (starts_name(rest_.front())) return name_or_call(depth);
    if (!accept("(")) return fail();
    const Number value = sum(depth + 1);
    return accept(")") ? value : fail();
  }

  Number number() {
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
    return error == std::errc() ? in_range(value) : fail();
  }

  Number name_or_call(int depth) {
    const auto end = static_cast<std::size_t>(std::ranges::find_if_not(rest_, is_in_name) - rest_.begin());
    const std::string name(rest_.substr(0, end));
    rest_.remove_prefix(end);
    if (accept("(")) return call(name, depth + 1);
    if (std::ranges::find(result_.names, name) == result_.names.end()) result_.names.push_back(name);
    const auto size = sizes_.find(name);
    return size != sizes_.end() ? in_range(size->second) : std::nullopt;
  }

  Number call(std::string_view function, int depth) {
    std::vector<Number> arguments{sum(depth)};
    while (!failed_ && accept(", ")) arguments.push_back(sum(depth));
    if (failed_ || !accept(")")) return fail();
    const bool all_known = std::ranges::all_of(arguments, [](const Number& known) { return known.has_value(); });
    if (function == "Max") return all_known ? *std::ranges::max_element(arguments) : std::nullopt;
    if (function == "Min") return all_known ? *std::ranges::min_element(arguments) : std::nullopt;
    const bool is_modulo = (function == "Mod" || function == "PythonMod") && arguments.size() == 2;
    return is_modulo ? modulo(arguments[0], arguments[1]) : fail();
  }

  std::string_view rest_;
  const DimSizes& sizes_;
  SizeExpression result_;
  bool failed_ = false;
};

}  // namespace

std::optional<SizeExpression> read_size_expression(std::string_view text, const DimSizes& sizes) {
  if (text.size() > kLongestText) return std::nullopt;
  return Reader(text, sizes).read();
}

bool mentions(std::string_view text, std::string_view name) {
  const auto is_boundary = [&](std::size_t at) { return at >= text.size() || !is_in_name(text[at]); };
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    if ((at == 0 || is_boundary(at - 1)) && is_boundary(at + name.size())) return true;
  }
  return false;
}

}  // namespace berth

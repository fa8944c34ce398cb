// SPDX-License-Identifier: Apache-2.0
#include "serving/files/layer_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"

namespace berth {
namespace {

// "[2-9]", "[37]", "5", or "\d" for all ten digits.
std::string digit_pattern(const std::set<int>& digits) {
  if (digits.size() == 10) return "\\d";
  if (digits.size() == 1) return fmt::format("{}", *digits.begin());
  std::string text;
  for (auto at = digits.begin(); at != digits.end();) {
    auto last = at;
    while (std::next(last) != digits.end() && *std::next(last) == *last + 1) ++last;
    const int length = *last - *at + 1;
    text += fmt::format("{}", *at);
    if (length > 2) text += '-';
    if (length > 1) text += fmt::format("{}", *last);
    at = std::next(last);
  }
  return fmt::format("[{}]", text);
}

// Last digits by what stands before them: {22, 23, 30} -> {2: {2, 3}, 3: {0}}.
using Tails = std::map<std::int64_t, std::set<int>>;

// Neighbours of equal tails become one alternative: [12][0-9].
std::vector<std::string> alternatives(const Tails& tails) {
  std::map<std::set<int>, std::vector<std::int64_t>> heads_of;
  for (const auto& [head, digits] : tails) heads_of[digits].push_back(head);
  std::vector<std::pair<std::int64_t, std::string>> sorted;
  for (const auto& [digits, heads] : heads_of) {
    std::set<int> neighbours;  // only these are joined, so that people can read the line
    const auto join_neighbours = [&] {
      if (neighbours.empty()) return;
      sorted.emplace_back(*neighbours.begin(), digit_pattern(neighbours) + digit_pattern(digits));
      neighbours.clear();
    };
    for (const std::int64_t head : heads) {
      if (head == 0) {
        sorted.emplace_back(0, digit_pattern(digits));
      } else if (head < 10) {
        if (!neighbours.empty() && *neighbours.rbegin() + 1 != head) join_neighbours();
        neighbours.insert(static_cast<int>(head));
      } else {
        sorted.emplace_back(head, fmt::format("{}{}", head, digit_pattern(digits)));
      }
    }
    join_neighbours();
  }
  std::ranges::sort(sorted);
  std::vector<std::string> texts;
  for (auto& [head, text] : sorted) texts.push_back(std::move(text));
  return texts;
}

}  // namespace

std::string number_pattern(std::span<const std::int64_t> wanted, std::int64_t end,
                           const std::function<bool(std::int64_t)>& free) {
  Tails exact, widened;
  for (const std::int64_t number : wanted) exact[number / 10].insert(static_cast<int>(number % 10));
  widened = exact;
  for (auto& [head, digits] : widened) {
    for (int digit = 0; digit < 10; ++digit) {
      const std::int64_t number = 10 * head + digit;
      if (number >= end || free(number)) digits.insert(digit);
    }
  }
  const std::string short_one = join(alternatives(widened), "|"), plain = join(alternatives(exact), "|");
  return plain.size() <= short_one.size() ? plain : short_one;
}

}  // namespace berth
